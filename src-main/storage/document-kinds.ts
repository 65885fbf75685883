import { jsonExcess } from './json-value.ts';

/**
 * The kinds of JSON documents, with the largest size that Porchlight reads and writes, in bytes. A document may come from
 * a backup that anybody made, and an hour of work fits into a small zip. Every format names its kind here.
 */
export const documentKinds = {
  /** A setting may have thousands of entries, such as categories. */
  settings: 5_000_000,
  /** With the photo. */
  profile: 1_000_000,
  /** With its earlier versions and unsaved edits. */
  post: 10_000_000,
  /** In an export. In the database, it is a row. */
  mention: 100_000,
  /** What Porchlight notes in one small file, such as the port. */
  note: 100_000,
  /** The paths of all files that a move has copied. */
  fileList: 200_000_000,
} as const satisfies Readonly<Record<string, number>>;

export type DocumentKind = keyof typeof documentKinds;

/** The maximum nesting depth of a document, and how many values it may have: far more than any that Porchlight writes. */
const most = { depth: 100, values: 500_000 };

/** Returns why the text of a document is more than Porchlight reads of its kind; undefined if it isn't. */
export function documentExcess(text: string, kind: DocumentKind): string | undefined {
  // A character takes up to three bytes.
  const isLong = text.length * 3 > documentKinds[kind] && Buffer.byteLength(text) > documentKinds[kind];
  return isLong ? tooLarge(kind) : kind === 'fileList' ? undefined : jsonExcess(text, most);
}

/** Returns why a document that exceeds the size of its kind isn't read. */
export const tooLarge = (kind: DocumentKind) => `it is larger than ${documentKinds[kind] / 1_000_000} MB`;

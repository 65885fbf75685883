import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { openedSchema } from '../storage/document-shape.ts';
import { isValid } from '../storage/schema-check.ts';
import { emptyPostDocument, PostDocument } from './post-document.ts';

const deflate = promisify(deflateRaw);
/** No document of Porchlight is larger, so a copy that unpacks to more was not made by Porchlight. In bytes. */
const mostBytes = 64_000_000;

/** The parts of a document that its row in the index holds: see postTables. */
export interface CopiedParts {
  /** The post as JSON; null for a redirect. */
  readonly post: string | null;
  readonly movedTo: string | null;
  /** What `restOf` returned. */
  readonly rest: string | null;
}

/**
 * Returns the earlier versions and the unsaved edits of a document, compressed, in base64. Returns null if there are
 * none. Compresses on another thread, because earlier versions may be long.
 */
export async function restOf({ history, edits }: Pick<PostDocument, 'history' | 'edits'>) {
  if (history.length === 0 && edits === null) return null;
  return (await deflate(JSON.stringify({ history, edits }))).toString('base64');
}

/** Returns a document from its copy in the index; undefined if the copy is damaged too, or holds no post. */
export function copiedDocument({ post, movedTo, rest }: CopiedParts): PostDocument | undefined {
  try {
    const document: unknown = {
      ...emptyPostDocument,
      ...{ post: post === null ? null : (JSON.parse(post) as unknown), movedTo },
      ...(rest !== null && unpacked(rest)),
    };
    const isWhole = isValid(openedSchema(PostDocument), document);
    return isWhole && (document.post !== null || document.movedTo !== null) ? document : undefined;
  } catch {
    return undefined;
  }
}

const unpacked = (rest: string): object =>
  JSON.parse(
    inflateRawSync(Buffer.from(rest, 'base64'), { maxOutputLength: mostBytes }).toString('utf8'),
  ) as object;

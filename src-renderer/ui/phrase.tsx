import { Fragment, type ReactElement, type ReactNode } from 'react';

interface Props {
  /** A sentence with places in braces: `Sign in to {app}?` */
  readonly text: string;
  /** What stands in each place. */
  readonly parts: Readonly<Record<string, ReactNode>>;
}

/** A sentence from a words file, with elements (strangers' text, links) in its places. */
export function Phrase({ text, parts }: Props): ReactElement {
  return (
    <>
      {text.split(/\{(\w+)\}/).map((piece, index) => (
        <Fragment key={index}>{index % 2 === 0 ? piece : parts[piece]}</Fragment>
      ))}
    </>
  );
}

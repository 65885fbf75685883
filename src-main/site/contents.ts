import { setImmediate } from 'node:timers/promises';
import type { Post } from '../contract/posts.ts';
import type { Html } from '../http/html.ts';
import { responseMarkup } from './citation.ts';
import { richText, type RichText } from './rich-text.ts';
import { textOf, valuesOf } from './values.ts';
import { contentText } from './words.ts';

/** What is dear to make of a post: all that has to be parsed. */
export interface Content {
  /** What it says; undefined where it says nothing. */
  readonly rich: RichText | undefined;
  /** The words of that, on one line; of a very long one the beginning. */
  readonly text: string;
  /** The words by which the post is known: its text, else its summary. */
  readonly words: string;
  /** The pages that it responds to. */
  readonly responses: readonly Html[];
}

/** Makes the content of a post, for the site at `base`. */
export function contentOf({ properties }: Post, base: string): Content {
  const value = valuesOf(properties, 'content')[0];
  const text = contentText(value);
  return {
    rich: richText(value, base),
    text,
    words: text || (textOf(properties, 'summary') ?? ''),
    responses: responseMarkup(properties, base),
  };
}

/** The contents of the posts that were asked for last. */
export interface Contents {
  /** By the path of each post. Making one does not wait, but others get their turn between two. */
  of(posts: readonly Post[], base: string): Promise<ReadonlyMap<string, Content>>;
  /** Forgets what was made of the post at a path. */
  drop(path: string): void;
}

interface Kept {
  readonly version: string;
  readonly content: Content;
  readonly characters: number;
}

/** Keeps what `make` made, each for its version of a post, as long as all together has at most `most` characters. */
export function createContents({
  most,
  make = contentOf,
}: {
  readonly most: number;
  readonly make?: typeof contentOf;
}): Contents {
  const kept = new Map<string, Kept>();
  let characters = 0;

  function drop(path: string): void {
    characters -= kept.get(path)?.characters ?? 0;
    kept.delete(path);
  }

  function keep(path: string, one: Kept): void {
    drop(path);
    kept.set(path, one);
    characters += one.characters;
    // A Map remembers the order: the first is the one not used for longest.
    for (const oldest of kept.keys()) {
      if (characters <= most) return;
      drop(oldest);
    }
  }

  return {
    drop,

    async of(posts, base) {
      const found = new Map<string, Content>();
      for (const post of posts) {
        const version = `${post.updatedAt} ${base}`;
        const known = kept.get(post.path);
        if (known?.version === version) {
          keep(post.path, known);
          found.set(post.path, known.content);
          continue;
        }
        const content = make(post, base);
        keep(post.path, { version, content, characters: sizeOf(content) });
        found.set(post.path, content);
        await setImmediate();
      }
      return found;
    },
  };
}

/** About how much memory a content takes, in characters. */
function sizeOf({ rich = [], text, responses }: Content): number {
  const parts = rich.map((part) =>
    typeof part === 'string' ? part.length : 200 + part.url.length + part.alt.length,
  );
  const cited = responses.map(({ markup }) => markup.length);
  return [...parts, ...cited].reduce((sum, length) => sum + length, 500 + text.length);
}

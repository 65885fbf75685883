import { isDeepStrictEqual } from 'node:util';
import type { Properties } from '../../contract/posts.ts';
import type { Bag } from '../post-content.ts';
import type { PostContent } from '../post-store.ts';

/**
 * The apps that send Markdown as plain text, chosen by the owner. Micropub has no property for Markdown, so such apps
 * can't say it.
 */
export interface MarkdownApps {
  /** Returns whether an app (see Bearer) is one of them. */
  readonly has: (app: string) => boolean;
  /** Converts Markdown to HTML. See RenderMarkdown for the errors. */
  readonly toHtml: (markdown: string) => Promise<string>;
}

/** Markdown that an app sent, and the `content` that Porchlight stores for it. */
interface Converted {
  readonly markdown: string;
  readonly content: readonly unknown[];
}

/** Converts the plain text in the properties from an app, if the app sends Markdown. Otherwise changes nothing. */
export async function withTextRead(
  bag: Bag,
  app: string,
  apps: MarkdownApps,
): Promise<{ bag: Bag; converted?: Converted }> {
  const [text, ...more] = bag.get('content') ?? [];
  const isMarkdown = typeof text === 'string' && text.trim() !== '' && more.length === 0 && apps.has(app);
  if (!isMarkdown) return { bag };
  const content = [{ html: await apps.toHtml(text) }];
  return { bag: new Map([...bag, ['content', content]]), converted: { markdown: text, content } };
}

/** Adds the Markdown to a post whose whole text was converted from it, so that the post can be edited in that form. */
export function withMarkdown(post: PostContent, converted: Converted | undefined): PostContent {
  const isWhole = converted !== undefined && isDeepStrictEqual(post.properties.content, converted.content);
  return isWhole ? { ...post, markdown: converted.markdown } : post;
}

/** Returns a post's properties for an app that sends Markdown: the text is Markdown too, if the post was written so. */
export function propertiesInMarkdown({
  properties,
  markdown,
}: Pick<PostContent, 'properties' | 'markdown'>): Properties {
  return markdown === undefined ? properties : { ...properties, content: [markdown] };
}

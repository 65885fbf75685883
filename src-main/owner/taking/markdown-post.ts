import { stringify } from 'yaml';
import type { Post } from '../../contract/posts.ts';
import { mediaPathOf } from '../../media/media-address.ts';

/** A post as a file for other programs. */
export interface MarkdownPost {
  /** `posts/2026/11/slug.md`; drafts and private posts are in folders of their own, so that nobody publishes them unawares. */
  readonly name: string;
  readonly text: string;
}

/**
 * A post as Markdown with YAML front matter. Text stays as it was written; HTML is valid Markdown as it is. Addresses of
 * own files in the body become relative; `properties` keep every value, content apart, as they were posted.
 */
export function markdownOf(post: Post, base: string): MarkdownPost {
  const { content, rest } = apart(post.properties);
  const name = nameOf(post);
  const up = '../'.repeat(name.split('/').length - 1);
  const front = {
    title: textOf(post.properties['name']),
    date: textOf(post.properties['published']) ?? post.createdAt,
    updated: post.updatedAt,
    url: new URL(post.path, base).href,
    status: post.status,
    visibility: post.visibility,
    draft: post.status === 'draft' || post.visibility === 'private' ? true : undefined,
    private: post.visibility === 'private' ? true : undefined,
    tags: textsOf(post.properties['category']),
    contentType: content?.type,
    type: post.type,
    properties: rest,
    commands: Object.keys(post.commands).length > 0 ? post.commands : undefined,
  };
  const body = content === undefined ? '' : `\n${relativeMedia(content.text, up)}\n`;
  return {
    name,
    text: `---\n${stringify(front, { lineWidth: 0, aliasDuplicateObjects: false })}---\n${body}`,
  };
}

interface Content {
  readonly type: 'text' | 'html';
  readonly text: string;
}

/** The content that becomes the body; content that would lose something there stays with the properties. */
function apart(properties: Post['properties']): { content?: Content; rest: Post['properties'] } {
  const { content: values = [], ...rest } = properties;
  const [value] = values;
  if (values.length !== 1) return { rest: properties };
  if (typeof value === 'string') return { content: { type: 'text', text: value }, rest };
  const html = typeof value === 'object' && value !== null && 'html' in value ? value.html : undefined;
  return typeof html === 'string' ? { content: { type: 'html', text: html }, rest } : { rest: properties };
}

function nameOf({ path, status, visibility }: Post): string {
  const folder = visibility === 'private' ? 'private' : status === 'draft' ? 'drafts' : 'posts';
  return `${folder}/${path.split('/').slice(2).join('/')}.md`;
}

const addresses = /(?:https?:\/\/[^\s"'<>()/]+)?\/media\/\d{4}\/\d{2}\/[A-Za-z0-9._-]+/gi;

/** `up`: the way from the file to the folder that holds `media`. */
function relativeMedia(text: string, up: string): string {
  return text.replace(addresses, (address) => {
    const path = mediaPathOf(address);
    return path === undefined ? address : up + path.slice(1);
  });
}

function textOf(values: readonly unknown[] | undefined): string | undefined {
  const [first] = values ?? [];
  return typeof first === 'string' ? first : undefined;
}

function textsOf(values: readonly unknown[] | undefined): string[] | undefined {
  const texts = (values ?? []).filter((value) => typeof value === 'string');
  return texts.length > 0 ? texts : undefined;
}

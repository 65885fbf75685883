import type { RenderMarkdown } from '../../src-main/posts/post-reading.ts';
import { markdownHtml } from '../../src-main/posts/markdown.ts';
import { folderJobs, type ReadFolderText } from '../../src-main/site-folder/folder-jobs.ts';
import type { PostMarkdown } from '../../src-main/posts/files/post-file.ts';

/** Runs the jobs that parse files of the owner's folder at once, on this thread. */
export const parseHere: ReadFolderText = (job, input) =>
  new Promise((resolve) => {
    resolve((folderJobs[job] as (one: typeof input) => ReturnType<(typeof folderJobs)[typeof job]>)(input));
  });

/** Converts the text of a post for a file, on this thread. */
export const postMarkdownHere: PostMarkdown = (source) => parseHere('postMarkdown', source, 'a post');

/** Converts Markdown to HTML, on this thread. */
export const markdownHere: RenderMarkdown = (text, _name, personUrl) =>
  Promise.resolve(markdownHtml(text, personUrl));

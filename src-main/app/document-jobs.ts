import { limited } from '../untrusted/serve-jobs.ts';
import { markdownHtml } from '../posts/markdown.ts';
import { folderJobs } from '../site-folder/folder-jobs.ts';

/**
 * The jobs of the threads that read documents (document-reading.ts): files of the owner's folders and archives, and
 * long Markdown. The input of each job has the document's `text`. Each job returns only the data that its caller needs,
 * and the size of the data is limited, because the main thread has to copy it.
 */
export const jobs = limited({
  markdown: ({ text, people = {} }: { text: string; people?: Readonly<Record<string, string>> }) =>
    renderedMarkdown(text, people),
  ...folderJobs,
});
export type DocumentJobs = typeof jobs;

/**
 * Renders Markdown. `people`: the URLs of people, by handle. Returns the HTML, and the handles of the people in the
 * text whom `people` doesn't contain.
 */
function renderedMarkdown(text: string, people: Readonly<Record<string, string>>) {
  const unknown = new Set<string>();
  const html = markdownHtml(text, (handle) => {
    if (Object.hasOwn(people, handle)) return people[handle];
    unknown.add(handle);
    return undefined;
  });
  return { html, unknown: [...unknown] };
}

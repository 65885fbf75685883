import { linksOfPost } from '../mentions/sending/plan.ts';
import type { CitedPage, PersonFinder } from '../posts/links.ts';
import { markdownHtml } from '../posts/markdown.ts';
import { type PostInWords, shownContent } from '../posts/rendering/contents.ts';
import { folderJobs } from '../site-folder/folder-jobs.ts';
import { limited } from '../untrusted/serve-jobs.ts';

type People = Readonly<Record<string, string>>;

/** A long post as JSON (see PostInWords). `people`: the URLs of people, by handle. `pages`: the pages that it cites. */
interface LongPost {
  readonly text: string;
  readonly base: string;
  readonly people?: People | undefined;
  readonly pages?: Readonly<Record<string, CitedPage>>;
}

/**
 * The jobs of the threads that read documents (reading.ts): files of the owner's folders and archives, long Markdown,
 * and long posts. The input of each job has the document's `text`. Each job returns only the data that its caller needs,
 * and the size of the data is limited, because the main thread has to copy it. Jobs whose result depends on people also
 * return the handles in the text that `people` lacks.
 */
export const jobs = limited({
  markdown: ({ text, people }: { text: string; people?: People | undefined }) =>
    withUnknown(people, (personUrl) => ({ html: markdownHtml(text, personUrl) })),
  postContent: ({ text, base, people, pages = {} }: LongPost) =>
    withUnknown(people, (personUrl) => ({
      content: shownContent(JSON.parse(text) as PostInWords, base, {
        personUrl,
        cited: (url) => (Object.hasOwn(pages, url) ? pages[url] : undefined),
      }),
    })),
  postLinks: ({ text, base, people }: LongPost) =>
    withUnknown(people, (personUrl) => ({
      links: linksOfPost(JSON.parse(text) as PostInWords, base, personUrl),
    })),
  ...folderJobs,
});
export type DocumentJobs = typeof jobs;

function withUnknown<R extends object>(
  people: People = {},
  read: (personUrl: PersonFinder) => R,
): R & { readonly unknown: string[] } {
  const unknown = new Set<string>();
  const result = read((handle) => {
    if (Object.hasOwn(people, handle)) return people[handle];
    unknown.add(handle);
    return undefined;
  });
  return { ...result, unknown: [...unknown] };
}

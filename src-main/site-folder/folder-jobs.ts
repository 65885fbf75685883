import {
  eleventyInput,
  eleventyPermalink,
  gemsOfJekyll,
  hasRedirects,
  hugoMinor,
  jekyllConfig,
  siteAddress,
  siteConfig,
  urlSettings,
  zolaTags,
} from './found-config.ts';
import type { AdoptedContent } from '../posts/post-store.ts';
import { editAdopted } from './adopted-edit.ts';
import { type AdoptionRules, claimOfAdopted, readAdopted } from './adopted-post.ts';
import { postMarkdown } from '../posts/files/post-markdown.ts';

/** A file that may be a post. `file`: its path, relative to the folder, separated by `/`. */
export interface PossiblePost {
  readonly text: string;
  readonly file: string;
  readonly rules: AdoptionRules;
}

/**
 * The jobs that parse the text of files in the owner's folder. They run on another thread, because a hostile file could
 * keep a parser busy for hours.
 */
export const folderJobs = {
  siteConfig,
  siteAddress,
  gemsOfJekyll,
  hasRedirects,
  hugoMinor,
  jekyllConfig,
  zolaTags,
  eleventyInput,
  eleventyPermalink,
  urlSettings,
  readAdopted: ({ text, file, rules }: PossiblePost) => readAdopted(text, file, rules),
  claimOfAdopted: ({ text, file, rules }: PossiblePost) => claimOfAdopted(text, file, rules),
  editAdopted: ({ text, file, rules, requested }: PossiblePost & { readonly requested: AdoptedContent }) =>
    editAdopted(text, file, requested, rules),
  postMarkdown,
};
export type FolderJobs = typeof folderJobs;

/**
 * Runs a job on another thread. `name`: the file's name, for the message of an error.
 * @throws PorchlightError if the file exceeds the limits (see overLimit); RetryLater if no thread can read it now
 */
export type ReadFolderText = <K extends keyof FolderJobs>(
  job: K,
  input: Parameters<FolderJobs[K]>[0],
  name: string,
) => Promise<ReturnType<FolderJobs[K]>>;

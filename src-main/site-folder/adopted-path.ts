import type { SiteFolderSettings } from '../contract/site-folder.ts';
import type { Problem } from '../untrusted/front-matter.ts';

/**
 * The rules that determine the URLs of adopted files, which are files in the owner's folder that Porchlight didn't
 * publish.
 */
export interface AdoptionRules extends Pick<
  SiteFolderSettings,
  'generator' | 'baseUrl' | 'postFile' | 'postUrl'
> {
  /** The generator's own configuration; empty if it can't be read as data. */
  readonly config: Readonly<Record<string, unknown>>;
  /**
   * For Eleventy: the input folder (`src`, or empty). Absent if the configuration may change URLs in a way that
   * Porchlight can't determine.
   */
  readonly inputFolder?: string;
}

/** The result of applying a generator's rules: a path below the site's address, or the reason why there is none. */
export type PathOrProblem = string | Problem;

export const unknownUrl: Problem = { problem: 'Its URL can’t be known from the file and the configuration.' };
export const noPage: Problem = { problem: 'It has no page of its own.' };
export const notPost: Problem = { problem: 'It isn’t in a folder of posts.' };

/** Returns the folder of a path, with its trailing `/`, and the file name. */
export function split(path: string): [folder: string, name: string] {
  const at = path.lastIndexOf('/') + 1;
  return [path.slice(0, at), path.slice(at)];
}

export const withoutExtension = (file: string) => file.replace(/\.\w+$/, '');

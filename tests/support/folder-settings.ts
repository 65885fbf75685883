import type { Generator, SiteFolderSettings } from '../../src-main/contract/site-folder.ts';
import { usualTemplates } from '../../src-main/site-folder/detect.ts';

/** The settings of a folder of the owner's site: turned on, without git, with the usual places of its generator. */
export const folderSettings = (
  path: string,
  generator: Generator,
  more: Partial<SiteFolderSettings> = {},
): SiteFolderSettings => ({
  on: true,
  path,
  generator,
  baseUrl: 'https://me.example/',
  ...usualTemplates(generator),
  media: 'porch',
  mentions: 'off',
  commit: false,
  push: false,
  branch: '',
  remote: '',
  adopt: false,
  ...more,
});

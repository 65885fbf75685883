import type { Handlers, Result } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { SiteFolderSettings } from '../../src-main/contract/site-folder.ts';

/** The settings of an owner who has no folder. */
export const noFolder: SiteFolderSettings = {
  ...{ on: false, path: '', generator: 'custom', baseUrl: '', postFile: '', postUrl: '' },
  ...{ mediaFile: '', mediaUrl: '', media: 'folder', mentions: 'off' },
  ...{ commit: true, push: true, branch: '', remote: '', adopt: false },
};

/** The settings that fit a folder of Hugo. */
export const hugoFolder: SiteFolderSettings = {
  ...{ on: true, path: '/home/robin/site', generator: 'hugo', baseUrl: 'https://marlow.example/' },
  ...{ postFile: 'content/posts/{yyyy}-{mm}-{dd}-{slug}.md', postUrl: 'posts/{slug}/' },
  ...{ mediaFile: 'static/media/{yyyy}/{mm}/{file}', mediaUrl: 'media/{yyyy}/{mm}/{file}' },
  ...{ media: 'folder', mentions: 'off' },
  ...{ commit: true, push: true, branch: 'main', remote: 'origin', adopt: false },
};

const idle: Result<'siteFolder.status'> = {
  ...{ state: 'off', words: 'Off', waiting: 0, conflicts: 0, last: null, items: [] },
};

type FolderHandlers = Pick<Handlers, Extract<keyof Handlers, `siteFolder.${string}`>>;

/** What a service answers about the owner's folder. `status`: the state that it reports. */
export function folderHandlers(status: () => Result<'siteFolder.status'> = () => idle): FolderHandlers {
  return {
    'siteFolder.detect': ({ path }) => {
      if (path.endsWith('.jpg'))
        throw new PorchlightError('invalid_path', 'This isn’t a folder. Choose the folder of your site.');
      const { on, ...suggested } = hugoFolder;
      return {
        ...{ generator: 'hugo', configFile: 'hugo.toml', title: 'Robin Marlow', posts: 214, warnings: [] },
        repository: { branch: 'main', remotes: ['origin'], remote: 'origin', words: null },
        suggested: { ...suggested, path },
      };
    },
    'siteFolder.preview': ({ kind = 'note' }) => ({
      file: `content/posts/2026-11-21-${kind}.md`,
      text: `---\ntitle: "A ${kind}"\ndate: 2026-11-21T08:00:00+00:00\n---\nFirst evening with the new lamp.\n`,
      url: `https://marlow.example/posts/${kind}/`,
      media: kind === 'photo' ? ['static/media/2026/11/fog.jpg'] : [],
      isExample: false,
    }),
    'siteFolder.status': () => status(),
    'siteFolder.publishAll': () => ({ posts: 96 }),
    'siteFolder.retry': () => status(),
    'siteFolder.snippet': () => ({
      file: 'layouts/partials/mentions.html',
      text: '{{ with site.Data.mentions }}…{{ end }}',
      words: 'Save this as layouts/partials/mentions.html and include it in the template of your posts.',
    }),
  };
}

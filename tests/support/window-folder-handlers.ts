import type { Handlers, Result } from '../../src-main/contract/contract.ts';
import { PorchlightError } from '../../src-main/contract/error.ts';
import type { FolderItem, FoundSite, SiteFolderSettings } from '../../src-main/contract/site-folder.ts';
import type { House } from './window-house.ts';

/** The settings of an owner who has no folder. */
export const noFolder: SiteFolderSettings = {
  on: false,
  path: '',
  generator: 'custom',
  baseUrl: '',
  postFile: '',
  postUrl: '',
  mediaFile: '',
  mediaUrl: '',
  media: 'folder',
  mentions: 'off',
  commit: true,
  push: true,
  branch: '',
  remote: '',
  adopt: false,
};

/** The settings that fit a folder of Hugo. */
const fitting: FoundSite['suggested'] = {
  path: '/home/robin/site',
  generator: 'hugo',
  baseUrl: 'https://marlow.example/',
  postFile: 'content/posts/{yyyy}-{mm}-{dd}-{slug}.md',
  postUrl: 'posts/{slug}/',
  mediaFile: 'static/media/{yyyy}/{mm}/{file}',
  mediaUrl: 'media/{yyyy}/{mm}/{file}',
  media: 'folder',
  mentions: 'off',
  commit: true,
  push: true,
  branch: 'main',
  remote: 'origin',
  adopt: false,
};

/** The settings of an owner who publishes to a folder of Hugo. */
export const hugoFolder: SiteFolderSettings = { ...fitting, on: true };

type FolderStatus = Result<'siteFolder.status'>;

/** Returns what a folder of Hugo holds. */
export function foundIn(path: string): FoundSite {
  return {
    generator: 'hugo',
    configFile: 'hugo.toml',
    title: 'Robin Marlow',
    posts: 214,
    warnings: [],
    repository: { branch: 'main', remotes: ['origin'], remote: 'origin', words: null },
    suggested: { ...fitting, path },
  };
}

/** A folder that no known generator builds, and that is not in git. */
function foundWithoutGit(path: string): FoundSite {
  const found = foundIn(path);
  return {
    ...found,
    generator: null,
    configFile: null,
    title: '',
    posts: 0,
    repository: null,
    warnings: ['Porchlight can’t write to drafts/. Check the permissions of that folder.'],
    suggested: { ...found.suggested, generator: 'custom', baseUrl: '', commit: false, push: false },
  };
}

const at = (now: number, minutes: number) => new Date(now + minutes * 60_000).toISOString();
const fileOf = (slug: string) => `content/posts/2026-11-21-${slug}.md`;

function item(now: number, slug: string, part: Partial<FolderItem>): FolderItem {
  return {
    id: slug,
    url: `https://marlow.example/posts/${slug}/`,
    title: slug,
    file: fileOf(slug),
    state: 'waiting',
    words: 'Waiting to be written.',
    since: at(now, -2),
    ...part,
  };
}

/** The posts of a folder in trouble: two conflicts, and a build that is late. */
function troubledItems(now: number): FolderItem[] {
  return [
    item(now, 'the-lamp-is-on', {
      title: 'The lamp is on, and the kettle too.',
      state: 'conflict',
      since: at(now, -95),
      words: 'You changed this file after Porchlight wrote it.',
    }),
    item(now, 'on-porches', {
      title: 'On porches',
      state: 'conflict',
      since: at(now, -180),
      words: 'Another file of your site already has this name.',
    }),
    item(now, 'fog', {
      title: 'Fog over the harbour, before anybody was up',
      state: 'late',
      since: at(now, -72),
      words: 'The server answered 404 Not Found two minutes ago. Check the build of your site.',
    }),
    item(now, 'well', {
      title: 'Like of wren.example',
      state: 'building',
      since: at(now, -3),
      words: 'The file is pushed. The page isn’t live yet.',
    }),
  ];
}

const last = (now: number): FolderStatus['last'] => ({
  at: at(now, -34),
  words: 'Published “Salam”.',
  url: 'https://marlow.example/posts/salam/',
});

/** The states of the folder. `now` in ms. */
export const folderStates: Readonly<Record<FolderStatus['state'], (now: number) => FolderStatus>> = {
  off: () => ({
    state: 'off',
    words: 'Off',
    waiting: 0,
    conflicts: 0,
    unpublished: 0,
    last: null,
    items: [],
  }),
  idle: (now) => ({
    state: 'idle',
    words: 'Every post is live on marlow.example.',
    waiting: 0,
    conflicts: 0,
    unpublished: 96,
    last: last(now),
    items: [],
  }),
  working: (now) => ({
    state: 'working',
    words: 'Porchlight is pushing 1 post to origin.',
    waiting: 1,
    conflicts: 0,
    unpublished: 0,
    last: last(now),
    items: [item(now, 'well', { title: 'Like of wren.example' })],
  }),
  waiting: (now) => ({
    state: 'waiting',
    words: 'A merge is in progress in the folder. Finish it, and Porchlight continues.',
    waiting: 14,
    conflicts: 0,
    unpublished: 0,
    last: last(now),
    items: Array.from({ length: 14 }, (_, index) =>
      item(now, `note-${index + 1}`, { title: `Note ${index + 1}`, since: at(now, -20 - index) }),
    ),
  }),
  trouble: (now) => ({
    state: 'trouble',
    waiting: 4,
    conflicts: 2,
    unpublished: 96,
    last: last(now),
    words: '2 posts are in conflict with files of your site, and 1 page is late.',
    items: troubledItems(now),
  }),
};

/** Turns the folder of a house on, in this state. */
export function withFolder(house: House, state: Exclude<FolderStatus['state'], 'off'>, now: number): House {
  return {
    ...house,
    settings: { ...house.settings, siteFolder: hugoFolder },
    folder: folderStates[state](now),
    posts: house.posts.map((post) => {
      const slug = post.path.split('/').at(-1) ?? '';
      return { ...post, url: `https://marlow.example/posts/${slug}/` };
    }),
  };
}

type FolderHandlers = Pick<Handlers, Extract<keyof Handlers, `siteFolder.${string}`>>;

/** What a service answers about the owner's folder. */
export function folderHandlers(house: House): FolderHandlers {
  const answer =
    <P, R>(from: (params: P) => R) =>
    (params: P) =>
      new Promise<R>((resolve) => resolve(from(params)));
  const status = () =>
    house.settings.siteFolder.on ? (house.folder ?? folderStates.idle(Date.now())) : folderStates.off(0);
  return {
    'siteFolder.detect': answer(({ path }) => {
      if (path.endsWith('.jpg'))
        throw new PorchlightError('invalid_path', 'This isn’t a folder. Choose the folder of your site.');
      return path.endsWith('plain') ? foundWithoutGit(path) : foundIn(path);
    }),
    'siteFolder.preview': answer(({ kind = 'note', settings }) => {
      const { postFile, postUrl, baseUrl, media } = { ...house.settings.siteFolder, ...settings };
      if (!URL.canParse(baseUrl))
        throw new PorchlightError('invalid_request', 'Enter an address that starts with https://.');
      if (!postFile.includes('{slug}'))
        throw new PorchlightError('invalid_request', 'The file of a post needs {slug} in its name.');
      const filled = (template: string) =>
        template
          .replace('{yyyy}', '2026')
          .replace('{mm}', '11')
          .replace('{dd}', '21')
          .replace('{slug}', `a-${kind}`);
      return {
        file: filled(postFile),
        text: `---\ntitle: "A ${kind}"\ndate: 2026-11-21T08:00:00+00:00\ncategories: [porches, tea]\n---\nFirst evening with the new lamp.\n`,
        url: new URL(filled(postUrl), baseUrl).href,
        media: kind === 'photo' && media === 'folder' ? ['static/media/2026/11/fog.jpg'] : [],
        isExample: kind === 'rsvp',
      };
    }),
    'siteFolder.status': answer(status),
    'siteFolder.adopted': answer(() => ({
      posts: 211,
      problems: [
        { words: 'Its front matter can’t be read.', files: 2, example: 'content/posts/old.md' },
        { words: 'It has no date.', files: 1, example: 'content/about.md' },
      ],
      isCut: false,
    })),
    'siteFolder.publishAll': answer(() => {
      const { unpublished: posts } = status();
      house.folder = { ...status(), state: 'working', unpublished: 0 };
      return { posts };
    }),
    'siteFolder.retry': answer(({ id }) => {
      const items = status().items.filter((one) => id !== undefined && one.id !== id);
      const conflicts = items.filter(({ state }) => state === 'conflict').length;
      house.folder = { ...status(), items, conflicts, waiting: items.length };
      return house.folder;
    }),
    'siteFolder.snippet': answer(() => ({
      file: 'layouts/partials/mentions.html',
      text: '{{ range (index site.Data.mentions .File.ContentBaseName).children }}\n  <p>{{ .author.name }}: {{ .content.text }}</p>\n{{ end }}',
      words: 'Save this as layouts/partials/mentions.html and include it in the template of your posts.',
    })),
  };
}

import type { FolderSettings } from './folder-rules.ts';
import type { FolderItem, SiteFolderStatus } from '../../../../src-main/contract/site-folder.ts';

/** The words of the page “Your own site”. The search of the settings reads the same words. */
export const folderWords = {
  title: 'Your own site',
  about: 'Publishes your posts on a site that Hugo, Jekyll, Eleventy, Astro or Zola builds from a folder.',
  settings: {
    path: {
      label: 'Folder of your site',
      about: 'The full path of the folder that contains the generator’s configuration file.',
      also: 'publish generator hugo jekyll eleventy 11ty astro zola git commit push branch remote repository github markdown front matter own domain static templates',
    },
  },
};

export const chooserWords = {
  intro:
    'Porchlight writes each post to a file in your folder, commits the file to git and pushes it. Your generator builds the page, and the post has a URL on your own domain.',
  check: 'Check this folder',
  checking: 'Checking the folder…',
  readOnly: 'Porchlight only reads the folder. It writes nothing until you turn publishing on.',
  other: 'Check this folder to continue with it.',
  keep: 'Keep the current folder',
};

export const foundWords = {
  title: 'What Porchlight found',
  generator: 'Generator',
  generatorIn: (generator: string, file: string) => `${generator} (${file})`,
  unknown: 'Not recognized. Choose it below.',
  name: 'Title',
  address: 'Address',
  noAddress: 'Not found. Enter it below.',
  posts: 'Posts',
  postCount: (count: number) => (count === 1 ? '1 post' : `${count.toLocaleString('en')} posts`),
  git: 'Git',
  noGit: 'The folder isn’t in a git repository.',
  noBranch: 'Commits aren’t possible now.',
  branch: (branch: string) => `Branch ${branch}`,
  branchPushed: (branch: string, remote: string) => `Branch ${branch}, pushed to ${remote}`,
  suggest: 'Use the suggested settings',
};

export const previewWords = {
  title: 'Preview',
  kind: 'Kind of post',
  own: 'Your newest post of this kind, as Porchlight would write it.',
  example: 'You have no post of this kind, so this is an example.',
  loads: 'the preview',
  file: 'File',
  url: 'URL',
  media: 'Other files',
  text: 'Text of the file',
  copied: 'the file',
  failed: 'Porchlight can’t show a preview.',
  correct: 'Correct the field that is marked below to see a preview.',
  outdated: 'This is the preview from before your last change.',
};

export const fieldWords = {
  site: 'Posts',
  generator: 'Generator',
  baseUrl: { label: 'Address of the site', about: 'With its path, such as https://example.com/blog/.' },
  postFile: {
    label: 'File of a post',
    about: 'In the folder. You can use {yyyy}, {mm}, {dd}, {slug} and {kind}.',
  },
  postUrl: {
    label: 'URL of a post',
    about:
      'Below the address of the site, with the same placeholders. It has to match your generator’s settings.',
  },
  media: 'Photos, videos and recordings',
  mediaChoices: {
    folder: { label: 'In the folder', about: 'Porchlight saves copies in the folder, next to your posts.' },
    porch: {
      label: 'On Porchlight’s site',
      about: (host: string) => `Posts link to the files on ${host}. The folder stays small.`,
    },
  },
  mediaFile: {
    label: 'File of a photo, video or recording',
    about: 'In the folder. Use {file} for the name of the file.',
  },
  mediaUrl: {
    label: 'URL of a photo, video or recording',
    about: 'Below the address of the site, with the same placeholders.',
  },
  git: 'Git',
  gitChoices: {
    push: { label: 'Commit and push', about: 'Each post is one commit. The push starts your site’s build.' },
    commit: { label: 'Commit only', about: 'You push yourself.' },
    files: { label: 'Write files only', about: 'You build and publish the site yourself.' },
  },
  gitSafe: 'Porchlight commits only its own files. Your other changes, staged or not, stay as they are.',
  branch: 'Branch',
  remote: 'Remote',
  mentions: {
    title: 'Mentions',
    label: 'Save mentions as data files',
    about: 'At most once an hour, Porchlight saves the mentions of your posts for your templates.',
  },
  adopt: {
    title: 'Older posts',
    label: 'Include posts that are already in the folder',
    about: 'Apps show them, and they receive mentions. Porchlight changes one only if you edit it in an app.',
  },
};

export const adoptedWords = {
  loads: 'the older posts',
  posts: (count: number) =>
    count === 1 ? '1 older post is included.' : `${count} older posts are included.`,
  others: (count: number) => (count === 1 ? '1 file isn’t included' : `${count} files aren’t included`),
  problem: (words: string, files: number) => (files === 1 ? words : `${words} (${files} files)`),
  example: 'For example:',
  isCut: 'The folder has more files than Porchlight reads, so some posts are missing.',
};

export const snippetWords = {
  title: 'Show mentions on your pages',
  loads: 'the template',
  what: 'the template',
};

export const turnWords = {
  on: 'Turn on',
  onMeans: (folder: string, host: string) =>
    `Nothing is written yet. From now on, Porchlight writes new posts to ${folder}, and they appear on ${host}.`,
  onFailed: 'Publishing to your own site isn’t on.',
  isOn: (host: string) => `On. New posts appear on ${host}.`,
  offTitle: 'Turn off',
  offMeans: (host: string, builtIn: string) =>
    `Posts that are already on ${host} stay there, and their addresses and files stay the same. New posts appear on ${builtIn}. You can turn this on again at any time.`,
  offWaiting: (count: number) =>
    count === 1
      ? 'The post that is waiting is published when you turn this on again.'
      : `The ${count} posts that are waiting are published when you turn this on again.`,
  off: 'Turn off',
  offFailed: 'Publishing to your own site is still on.',
  isOff: (host: string) => `Off. New posts appear on ${host}.`,
};

export const statusWords = {
  title: 'State',
  loads: 'the state of your own site',
  states: {
    off: 'Off',
    idle: 'Up to date',
    working: 'Publishing…',
    waiting: 'Waiting',
    trouble: 'Needs your attention',
  } satisfies Record<SiteFolderStatus['state'], string>,
  last: 'Last change:',
  retry: 'Try again',
  retryFailed: 'Porchlight couldn’t try again.',
};

export const publishAllWords = {
  count: (count: number) => {
    if (count === 0)
      return 'If the folder has lost files of published posts, Porchlight can write them again.';
    return count === 1
      ? 'One public post is only on Porchlight’s site.'
      : `${count.toLocaleString('en')} public posts are only on Porchlight’s site.`;
  },
  open: (count: number) => (count === 0 ? 'Write missing files…' : 'Publish all existing posts…'),
  title: (count: number, host: string) =>
    count === 0 ? 'Write the missing files of posts?' : `Publish ${postsOf(count)} on ${host}?`,
  means: (count: number, { commit, media }: Pick<FolderSettings, 'commit' | 'media'>) => {
    const several = media === 'folder' ? ' (several if their files are larger than 100 MB)' : '';
    const together = commit ? `, in one commit${several}` : '';
    return count === 0
      ? `Porchlight looks for published posts whose files are missing from the folder. It writes these posts again${together}.`
      : `Porchlight writes ${postsOf(count)} to the folder${together}. Their addresses on Porchlight’s site lead to the new pages from then on.`;
  },
  action: (count: number) => (count === 0 ? 'Write missing files' : `Publish ${postsOf(count)}`),
  done: (count: number) =>
    count === 0 ? 'No files of posts are missing.' : `Porchlight is publishing ${postsOf(count)}.`,
};

export const itemWords = {
  title: 'Posts that aren’t live yet',
  states: {
    waiting: 'Waiting',
    building: 'Building',
    late: 'Late',
    conflict: 'Conflict',
  } satisfies Record<FolderItem['state'], string>,
  untitled: 'Post without text',
  file: 'File:',
  since: 'Since',
  retry: 'Try again',
  retryOf: (title: string) => `Try again: ${title}`,
  replace: 'Replace the file…',
  replaceOf: (title: string) => `Replace the file of ${title}…`,
  replaceTitle: 'Replace the file?',
  /** The file comes in place of {file}. */
  replaceMeans: 'Porchlight replaces {file} with its version of the post.',
  replaceKept: 'Git keeps your version of the file in its history.',
  replaceLost: 'Your version of the file is lost. You can’t undo this.',
  replaceAction: 'Replace the file',
  showAll: (count: number) => `Show all ${count}`,
  more: (count: number) => (count === 1 ? 'And one more post.' : `And ${count} more posts.`),
};

function postsOf(count: number): string {
  return count === 1 ? '1 post' : `${count.toLocaleString('en')} posts`;
}

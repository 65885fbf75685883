import type { ActivityArea } from '../../../src-main/contract/activity.ts';

export const activityWords = {
  title: 'Activity',
  about: 'Sign-ins, posts, mentions, changes to your server and problems, newest first.',
  list: 'Activity',
  what: 'the activity',
  noMatches: 'No activity matches these filters.',
  showAll: 'Show all activity',
  empty: 'Nothing has happened yet. Sign-ins, posts, mentions and changes to your server appear here.',
  write: 'Write a post',
  moreFailed: 'Porchlight couldn’t read the earlier activity.',
};

export const filterWords = {
  search: 'Search activity',
  area: 'Show',
  all: 'All',
};

export const areaWords: Record<ActivityArea, string> = {
  'sign-ins': 'Sign-ins',
  posts: 'Posts',
  mentions: 'Mentions',
  server: 'Server',
  data: 'Data',
};

export const supportWords = {
  create: 'Create a support file',
  failed: 'Porchlight couldn’t create the support file.',
  title: 'Support file',
  about:
    'This is the whole file. It contains your domain and public address. It leaves out passwords, tokens, keys, email addresses and your posts. Porchlight sends it to nobody: share it with the person who helps you.',
  content: 'Content of the support file',
  close: 'Close',
  save: 'Save file',
  copy: 'the support file',
};

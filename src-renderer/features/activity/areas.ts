import { IconDatabase, IconKey, IconLamp, IconMessages, IconNotes, type Icon } from '@tabler/icons-react';
import type { ActivityArea } from '../../../src-main/contract/activity.ts';

/** What things that happened have to do with. */
export const areas: Record<ActivityArea, { words: string; Icon: Icon }> = {
  'sign-ins': { words: 'Sign-ins', Icon: IconKey },
  posts: { words: 'Posts', Icon: IconNotes },
  mentions: { words: 'Mentions', Icon: IconMessages },
  server: { words: 'Server', Icon: IconLamp },
  data: { words: 'Data', Icon: IconDatabase },
};

import { IconDatabase, IconKey, IconLamp, IconMessages, IconNotes, type Icon } from '../../ui/icons.ts';
import type { ActivityArea } from '../../../src-main/contract/activity.ts';
import { areaWords } from './words.ts';

/** What an entry of the activity is about. */
export const areas: Record<ActivityArea, { words: string; Icon: Icon }> = {
  'sign-ins': { words: areaWords['sign-ins'], Icon: IconKey },
  posts: { words: areaWords.posts, Icon: IconNotes },
  mentions: { words: areaWords.mentions, Icon: IconMessages },
  server: { words: areaWords.server, Icon: IconLamp },
  data: { words: areaWords.data, Icon: IconDatabase },
};

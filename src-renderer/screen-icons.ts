import type { Screen } from '../src-main/contract/window.ts';
import {
  IconApps,
  IconArchive,
  IconHistory,
  IconHome,
  IconKey,
  IconLink,
  IconMessages,
  IconNotes,
  IconPencil,
  IconPhoto,
  IconSettings,
  type Icon,
} from './ui/icons.ts';

/** The icon of each screen, in the sidebar and in the search. */
export const screenIcons: Readonly<Record<Screen, Icon>> = {
  overview: IconHome,
  'sign-ins': IconKey,
  apps: IconApps,
  webmentions: IconMessages,
  write: IconPencil,
  posts: IconNotes,
  media: IconPhoto,
  activity: IconHistory,
  data: IconArchive,
  settings: IconSettings,
  setup: IconLink,
};

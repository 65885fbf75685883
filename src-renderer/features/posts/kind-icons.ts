import {
  IconArticle,
  IconBookmark,
  IconCalendarCheck,
  IconCalendarEvent,
  IconHeart,
  IconMapPin,
  IconMessageReply,
  IconMicrophone,
  IconNote,
  IconPhoto,
  IconRepeat,
  IconVideo,
  type Icon,
} from '../../ui/icons.ts';
import type { PostKind } from '../../../src-main/contract/posts.ts';

/** The icon of each kind of post. */
export const kindIcons: Record<PostKind, Icon> = {
  note: IconNote,
  article: IconArticle,
  photo: IconPhoto,
  video: IconVideo,
  audio: IconMicrophone,
  reply: IconMessageReply,
  like: IconHeart,
  repost: IconRepeat,
  bookmark: IconBookmark,
  rsvp: IconCalendarCheck,
  event: IconCalendarEvent,
  checkin: IconMapPin,
};

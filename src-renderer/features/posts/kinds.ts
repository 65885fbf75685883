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
} from '@tabler/icons-react';
import type { PostItem, PostKind } from '../../../src-main/contract/posts.ts';

/** Each kind of post, in words and as a sign. */
export const kinds: Record<PostKind, { readonly one: string; readonly many: string; readonly Icon: Icon }> = {
  note: { one: 'Note', many: 'Notes', Icon: IconNote },
  article: { one: 'Article', many: 'Articles', Icon: IconArticle },
  photo: { one: 'Photo', many: 'Photos', Icon: IconPhoto },
  video: { one: 'Video', many: 'Videos', Icon: IconVideo },
  audio: { one: 'Audio', many: 'Audio', Icon: IconMicrophone },
  reply: { one: 'Reply', many: 'Replies', Icon: IconMessageReply },
  like: { one: 'Like', many: 'Likes', Icon: IconHeart },
  repost: { one: 'Repost', many: 'Reposts', Icon: IconRepeat },
  bookmark: { one: 'Bookmark', many: 'Bookmarks', Icon: IconBookmark },
  rsvp: { one: 'RSVP', many: 'RSVPs', Icon: IconCalendarCheck },
  event: { one: 'Event', many: 'Events', Icon: IconCalendarEvent },
  checkin: { one: 'Check-in', many: 'Check-ins', Icon: IconMapPin },
};

/** What sets a post apart from one that everybody can read, in words. */
export function marksOf({ status, visibility, deletedAt }: PostItem): string[] {
  return [
    ...(deletedAt === null ? [] : ['Deleted']),
    ...(status === 'draft' ? ['Draft'] : []),
    ...(status === 'scheduled' ? ['Scheduled'] : []),
    ...(visibility === 'unlisted' ? ['Unlisted'] : []),
    ...(visibility === 'private' ? ['Private'] : []),
  ];
}

/** What a post is called where it is spoken of: its name, how it begins, or else its kind. */
export function titleOf({ name, summary, kind }: PostItem): string {
  return name || summary || `${kinds[kind].one} without words`;
}

import type { PostItem } from '../../../src-main/contract/posts.ts';
import {
  IconArrowBackUp,
  IconCopyPlus,
  IconHistory,
  IconPencil,
  IconTrash,
  IconWorldUpload,
} from '../../ui/icons.ts';
import type { MoreItem } from '../../ui/more-menu.tsx';
import { writeHash } from '../../routes.ts';
import type { PostActions } from './post-actions.ts';
import { previewWords } from './words.ts';

/**
 * Returns the actions on a post that its row and its pane have under “…”. `version`: the version that the owner sees; in
 * the list, where they see none, the current one is meant.
 */
export function laterActions(post: PostItem, actions: PostActions, version?: string): MoreItem[] {
  return [
    { label: previewWords.duplicate, Icon: IconCopyPlus, onClick: () => actions.duplicate(post) },
    { label: previewWords.undoLast, Icon: IconHistory, onClick: () => actions.undoLast(post, version) },
    { label: previewWords.delete, Icon: IconTrash, danger: true, onClick: () => actions.remove(post) },
  ];
}

/** Returns all actions on a post in the list. */
export function rowActions(post: PostItem, actions: PostActions): (MoreItem | false)[] {
  if (post.deletedAt !== null)
    return [{ label: previewWords.restore, Icon: IconArrowBackUp, onClick: () => actions.restore(post) }];
  return [
    { label: previewWords.edit, Icon: IconPencil, href: writeHash({ post: post.url }) },
    post.status === 'draft' && {
      label: previewWords.publish,
      Icon: IconWorldUpload,
      onClick: () => actions.publish(post),
    },
    ...laterActions(post, actions),
  ];
}

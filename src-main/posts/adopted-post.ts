import type { Post } from '../contract/posts.ts';

/** An adopted post, which was in the folder of the owner's site before Porchlight began to publish there. */
export interface AdoptedPost extends Pick<
  Post,
  'type' | 'properties' | 'status' | 'visibility' | 'createdAt' | 'markdown'
> {
  /** The post's own URL, on the owner's site. */
  readonly url: string;
  /** The post's file, relative to the folder. */
  readonly file: string;
}

/** A change that an app made to the file of an adopted post. */
export interface ChangedAdopted {
  readonly post: AdoptedPost;
  readonly before: AdoptedPost;
}

/** The parts of an adopted post that an app can change. */
export type AdoptedContent = Pick<AdoptedPost, 'properties' | 'status'>;

/** Reads and changes adopted posts, which were in the owner's folder before Porchlight began to publish there. */
export interface AdoptedPosts {
  /**
   * Returns the adopted post at a URL, read from its current file. Returns undefined if there is no such post, or while
   * the adoption of older posts is turned off.
   */
  at(url: string): Promise<AdoptedPost | undefined>;
  /**
   * Changes an adopted post in its own file. Returns the changed post, or undefined if there is no such post. `edit`:
   * receives the current post from the file, and returns the new content.
   * @throws PorchlightError `invalid_request` if the change cannot be written to the file
   */
  change(url: string, edit: (post: AdoptedPost) => AdoptedContent): Promise<AdoptedPost | undefined>;
}

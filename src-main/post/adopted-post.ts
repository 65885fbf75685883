import type { Post } from '../contract/posts.ts';

/** A post that was already in the owner's folder before Porchlight published there. */
export interface AdoptedPost extends Pick<
  Post,
  'type' | 'properties' | 'status' | 'visibility' | 'createdAt' | 'markdown'
> {
  /** The post's own URL, on the owner's site. */
  readonly url: string;
  /** Relative to the folder. */
  readonly file: string;
}

/** The content of an adopted post that an app can change. */
export type AdoptedContent = Pick<AdoptedPost, 'properties' | 'status'>;

/** The posts that were already in the owner's folder. */
export interface AdoptedPosts {
  /** Returns the post at a URL, as its file is now. Undefined if there is none, or while adopting is off. */
  at(url: string): Promise<AdoptedPost | undefined>;
  /**
   * Changes a post in its own file. Returns it, or undefined if there is none. `edit`: returns the new content for the content that the file has.
   * @throws PorchlightError `invalid_request` if the file can't hold the change
   */
  change(url: string, edit: (post: AdoptedPost) => AdoptedContent): Promise<AdoptedPost | undefined>;
}

import type { PostText, SavedPost } from '../../../src-main/contract/writing.ts';
import type { Form, FormPhoto } from './form.ts';
import type { Missing } from './missing.ts';
import type { KnownPost } from './opened-post.ts';
import type { SaveState } from './saving.ts';
import type { Unsaved } from './unsaved.ts';

/** What the owner's screen shows of a post that is being written. */
export interface Writing {
  readonly form: Form;
  /** Counts how often another version has replaced the whole form. */
  readonly revision: number;
  /** The post on the server; null before the first save. */
  readonly post: KnownPost | null;
  readonly save: SaveState;
  /** Whether the form differs from a published or scheduled post. */
  readonly isEdited: boolean;
  /** When the unsaved edits that were found on opening were made; null if there were none. */
  readonly foundEdits: string | null;
  /** How many of the new photos have been uploaded; null while no photo is uploading. */
  readonly uploads: { readonly done: number; readonly total: number } | null;
  /** Sentences about files that were refused. */
  readonly refused: readonly string[];
  /** What keeps the post from being published, after the owner tried to. */
  readonly missing: Missing;
  readonly refusedSlug: string | null;
  /** Whether the owner's last command is under way, and why it failed. */
  readonly busy: boolean;
  readonly error: Error | null;
}

/** A text that the owner is writing, with pictures: a post, or a page of the site. */
export interface PictureSession {
  readonly snapshot: () => Pick<Writing, 'form' | 'uploads' | 'refused' | 'missing'>;
  readonly change: (part: Partial<Form>) => void;
  /** Sets the form to a function of itself. */
  readonly edit: (edit: (form: Form) => Form) => void;
  readonly addFiles: (files: readonly File[]) => void;
  /** Uploads pictures for the text. Returns their placeholders until then, in Markdown. */
  readonly addToText: (files: readonly File[]) => readonly string[];
  /** Removes an uploaded photo from the list. Returns it in Markdown; undefined if it isn't uploaded yet. */
  readonly takeForText: (id: string) => string | undefined;
  readonly changePhoto: (id: string, part: Partial<FormPhoto>) => void;
  readonly movePhoto: (id: string, to: number) => void;
  readonly removePhoto: (id: string) => void;
  readonly retryPhoto: (id: string) => void;
}

/** A post that the owner is writing. It continues to save after the screen has closed. */
export interface WritingSession extends PictureSession {
  readonly id: string;
  readonly snapshot: () => Writing;
  readonly subscribe: (watcher: () => void) => () => void;
  /** Publishes, schedules or updates the post, or saves the draft. Resolves with undefined if that was not possible. */
  readonly send: (status: PostText['status']) => Promise<SavedPost | undefined>;
  /** Deletes a draft, or discards the edits of a post. Resolves with whether it worked. */
  readonly discard: () => Promise<boolean>;
  /** Ends a conflict. The version that the owner did not choose becomes a draft of its own unless it is published. */
  readonly settle: (choice: 'mine' | 'other') => Promise<void>;
  /** Restores the deleted post, or saves the text as a new draft. */
  readonly rescue: () => Promise<void>;
  readonly flush: () => Promise<void>;
  /** Saves once more, and then never again. */
  readonly end: () => Promise<void>;
  /** Returns what is not on disk yet; null if everything is. */
  readonly unsaved: () => Unsaved | null;
  /** Returns whether something would be lost if the window closed now. */
  readonly isAtRisk: () => boolean;
}

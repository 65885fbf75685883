import type { SitePage } from '../../../src-main/contract/site-settings.ts';
import type { Client } from '../../client/client.ts';
import { emptyForm, type Form } from './form.ts';
import { photoActions } from './photo-actions.ts';
import { waitingIn, withWaitingPhotos } from './photos.ts';
import { isSamePage, keepPage, keptPage } from './site-page.ts';
import type { PictureSession, Writing } from './writing.ts';

/** What the owner's screen shows of a page that is being written. */
export interface PageWriting extends Pick<Writing, 'form' | 'uploads' | 'refused' | 'missing'> {
  /** The page on the site that the owner began with. */
  readonly base: SitePage;
}

/** A page of the site that the owner is writing. Pictures come into its text as into an article's. */
export interface PageSession extends PictureSession {
  readonly snapshot: () => PageWriting;
  readonly subscribe: (watcher: () => void) => () => void;
  /** Begins again with the page as it is on the site. */
  readonly begin: (saved: SitePage) => void;
  /** Resolves when no picture is uploading, with whether all are in the text. */
  readonly uploaded: () => Promise<boolean>;
}

/** Returns the page that a form shows. */
export const pageIn = ({ slug, name: title, text }: Form): SitePage => ({ slug, title, text });

const formOf = ({ slug, title, text }: SitePage): Form => ({
  ...emptyForm('article'),
  slug,
  name: title,
  text,
});

/** Sessions whose pictures are uploading, by the names of their pages: the uploads continue while another page is shown. */
const uploading = new Map<string, PageSession>();

/** Starts to write a page of the site, or continues. `saved`: the page as it is on the site. */
export function writePage(call: Client['call'], name: string, saved: SitePage): PageSession {
  return uploading.get(name) ?? startPage(call, name, saved);
}

function startPage(call: Client['call'], name: string, saved: SitePage): PageSession {
  const { page, base, waiting = [] } = keptPage(name) ?? { page: saved, base: saved };
  const begun = formOf(page);
  const watchers = new Set<() => void>();
  let current: PageWriting = {
    form: { ...begun, photos: withWaitingPhotos(begun.photos, waiting) },
    base,
    uploads: null,
    refused: [],
    missing: {},
  };
  const put = (part: Partial<PageWriting>) => {
    current = { ...current, ...part };
    for (const watcher of [...watchers]) watcher();
  };
  const edit = (change: (form: Form) => Form) => {
    put({ form: change(current.form) });
    const { form, base: begunWith } = current;
    const next = pageIn(form);
    const isChanged = form.photos.length > 0 || !isSamePage(next, begunWith);
    keepPage(name, isChanged ? { page: next, base: begunWith, waiting: waitingIn(form.photos) } : null);
  };
  const { actions, uploads } = photoActions({
    call,
    form: () => current.form,
    edit,
    put(part) {
      if (part.uploads) uploading.set(name, session);
      else if (part.uploads === null) uploading.delete(name);
      put(part);
    },
  });
  const session: PageSession = {
    ...actions,
    snapshot: () => current,
    subscribe(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    change: (part) => edit((form) => ({ ...form, ...part })),
    edit,
    begin(fresh) {
      uploads.forget(current.form.photos);
      keepPage(name, null);
      put({ form: formOf(fresh), base: fresh, refused: [] });
    },
    async uploaded() {
      await uploads.start();
      return current.form.photos.length === 0;
    },
  };
  if (waiting.length > 0) void uploads.start();
  return session;
}

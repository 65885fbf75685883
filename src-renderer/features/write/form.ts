import {
  kindRules,
  postKinds,
  responseFields,
  writingKinds,
  type KindField,
  type ResponseField,
  type WritingKind,
} from '../../../src-main/contract/post-kinds.ts';
import type { PostText } from '../../../src-main/contract/writing.ts';
import { picturesWithoutAlt } from './text-insertion.ts';

/** The fields for the page that a post responds to. */
const addressFields = responseFields.map(({ field }) => field);

/** The fields for the owner's own words and photos. */
const ownFields = ['name', 'summary', 'text', 'photos', 'categories'] as const;

const fieldsOf = (kind: WritingKind): readonly KindField[] => postKinds[kind].fields ?? [];

/** A photo in the form. */
export interface FormPhoto {
  readonly id: string;
  readonly name: string;
  readonly alt: string;
  /** The address of the uploaded file; null before the upload. */
  readonly url: string | null;
  /** The file that the owner added; null for a photo that the post had before, and until a kept one is read. */
  readonly file: File | null;
  /** The name under which this browser keeps the file (kept-photos.ts); null if it doesn't. */
  readonly kept: string | null;
  /** Why the upload failed; null if it didn't. */
  readonly failure: string | null;
  /** The property of the post that has the photo; null for a new photo: the kind of the post decides. */
  readonly property: 'photo' | 'featured' | null;
  /** The placeholder in the text until the picture is uploaded; null if the photo is in the list of photos. */
  readonly mark: string | null;
}

/** The current content of the form for a post. */
export interface Form extends Omit<Required<PostText>, 'photos' | 'featured' | 'status'> {
  readonly kind: WritingKind;
  readonly photos: readonly FormPhoto[];
  /** Fields that were not empty when the post was opened or its kind was chosen, although the kind lacks them. */
  readonly extra: readonly KindField[];
}

/** Returns a value for each field for the page that a post responds to. */
const eachAddress = (valueOf: (field: ResponseField) => string) =>
  Object.fromEntries(addressFields.map((field) => [field, valueOf(field)])) as Record<ResponseField, string>;

const emptyText: Omit<Required<PostText>, 'photos' | 'featured' | 'status'> = {
  text: '',
  format: 'plain',
  name: '',
  summary: '',
  slug: '',
  categories: [],
  visibility: 'public',
  published: '',
  ...eachAddress(() => ''),
  rsvp: '',
  syndicateTo: [],
};

/** Returns the form for a new post. */
export function emptyForm(kind: WritingKind): Form {
  const format = kind === 'article' ? 'markdown' : 'plain';
  return { ...emptyText, format, kind, photos: [], extra: [] };
}

/** Returns the form for a post. Without a `kind`, the post's content decides. */
export function formOf(post: PostText, kind: WritingKind = kindOf(post)): Form {
  const { photos, featured = [], ...texts } = post;
  const form: Form = {
    ...emptyText,
    ...texts,
    kind,
    extra: [],
    photos: [
      ...featured.map((photo) => knownPhoto(photo, 'featured')),
      ...photos.map((photo) => knownPhoto(photo, 'photo')),
    ],
  };
  return { ...form, extra: extraIn(form, [...addressFields, 'rsvp', ...ownFields]) };
}

const knownPhoto = (
  { url, alt }: PostText['photos'][number],
  property: FormPhoto['property'],
): FormPhoto => ({
  id: newFormId(),
  name: nameIn(url),
  alt,
  url,
  property,
  file: null,
  kept: null,
  failure: null,
  mark: null,
});

/** Returns whether a photo of the form is a cover of the post. A new photo of an article is. */
export const isCover = ({ property }: FormPhoto, { kind }: Form): boolean =>
  property === 'featured' || (property === null && kind === 'article');

/** Returns the photos in the list of the form, which are not in its text. */
export const listedPhotos = ({ photos }: Pick<Form, 'photos'>): readonly FormPhoto[] =>
  // One whose upload failed is listed, so that the owner can try again.
  photos.filter(({ mark, failure }) => mark === null || failure !== null);

/** Returns how many of the form's pictures have no alt text, in the list of photos and in the text. */
export const withoutAlt = (form: Form): number =>
  form.photos.filter(({ alt, mark }) => mark === null && alt.trim() === '').length + picturesWithoutAlt(form);

/** Returns those of `fields` that are not empty although the form's kind lacks them. */
const extraIn = (form: Form, fields: readonly KindField[]): readonly KindField[] =>
  fields.filter((field) => !fieldsOf(form.kind).includes(field) && form[field].length > 0);

/** Returns whether the form shows a field. */
export function hasField({ kind, extra, photos }: Form, field: KindField): boolean {
  // Photos can be dropped on any form.
  if (field === 'photos' && listedPhotos({ photos }).length > 0) return true;
  return fieldsOf(kind).includes(field) || extra.includes(field);
}

/**
 * Returns the form after the owner chose a kind. The address of the other page moves to the new kind's field. Words and
 * photos that the owner has added stay in the form and in the post, whatever the kind.
 */
export function withKind(form: Form, kind: WritingKind): Form {
  const from = addressField(form);
  const chosen: Form = { ...form, kind };
  const next = { ...chosen, extra: extraIn(chosen, ownFields) };
  const to = addressField(next);
  const isNewText = form.text === '' && form.format !== 'html';
  return {
    ...next,
    ...(from && to && next[to] === '' && { [to]: form[from] }),
    ...(isNewText && { format: kind === 'article' ? 'markdown' : form.format }),
  };
}

/** Returns the field for the page that this kind of post responds to. */
export function addressField(form: Form): ResponseField | undefined {
  const ofKind = fieldsOf(form.kind);
  return (
    addressFields.find((field) => ofKind.includes(field)) ??
    addressFields.find((field) => hasField(form, field))
  );
}

/** Returns the post as the form shows it, with the photos that have been uploaded. */
export function textOf(form: Form, status: PostText['status']): PostText {
  const shown = <K extends ResponseField | 'rsvp'>(field: K): Form[K] | '' =>
    hasField(form, field) ? form[field] : '';
  const { text, format, name, summary, slug, categories, visibility, published, syndicateTo } = form;
  const uploaded = form.photos.flatMap((photo) =>
    photo.url === null || photo.mark !== null ? [] : [{ ...photo, url: photo.url }],
  );
  return {
    text,
    format,
    name,
    summary,
    ...(slug.trim() !== '' && { slug: slug.trim() }),
    photos: uploaded.filter((photo) => !isCover(photo, form)).map(photoValue),
    featured: uploaded.filter((photo) => isCover(photo, form)).map(photoValue),
    categories,
    visibility,
    status,
    published,
    ...eachAddress((field) => shown(field).trim()),
    rsvp: shown('rsvp'),
    syndicateTo,
  };
}

const photoValue = ({ url, alt }: FormPhoto & { readonly url: string }): PostText['photos'][number] => ({
  url,
  alt: alt.trim(),
});

/**
 * Returns the part of a draft that Porchlight accepts, so that half an address doesn't keep the rest from being saved.
 * `refusedSlug`: a slug that another post has.
 */
export function draftOf(form: Form, refusedSlug: string | null): PostText {
  const { slug = '', rsvp = '', ...text } = textOf(form, 'draft');
  const addresses = eachAddress((field) => (isWebAddress(text[field] ?? '') ? (text[field] ?? '') : ''));
  const draft: PostText = {
    ...text,
    ...(hasLetters(slug) && slug !== refusedSlug && { slug }),
    ...addresses,
    published: isDate(form.published) ? form.published : '',
  };
  return { ...draft, rsvp: draft.inReplyTo === '' ? '' : rsvp };
}

/** Returns whether a post has something that a page could show. */
export function isWorthSaving(post: PostText): boolean {
  const { text, name = '', summary = '', photos, featured = [], rsvp = '' } = post;
  const texts = [text, name, summary, rsvp, ...addressFields.map((field) => post[field] ?? '')];
  return photos.length + featured.length > 0 || texts.some((one) => one.trim() !== '');
}

/** Returns whether two posts have the same content. The service trims texts. */
export function isSamePost(a: PostText, b: PostText): boolean {
  return normal(a) === normal(b);
}

const textNames = ['photos', 'featured', 'status', ...Object.keys(emptyText)] as readonly (keyof PostText)[];

function normal(post: PostText): string {
  const whole: PostText = { ...emptyText, featured: [], ...post };
  const values = textNames.map((name) => {
    const value = whole[name];
    return typeof value === 'string' ? value.trim() : value;
  });
  return JSON.stringify(values);
}

/** Returns the kind of a post, by the rules that the site and the lists use too (postKindOf). */
function kindOf(post: PostText): WritingKind {
  const has = (property: string) => {
    const field = responseFields.find(({ name }) => name === property)?.field;
    if (field !== undefined) return (post[field] ?? '') !== '';
    return property === 'rsvp' ? (post.rsvp ?? '') !== '' : property === 'photo' && post.photos.length > 0;
  };
  const named = kindRules.find(({ property }) => has(property))?.kind;
  return writingKinds.find((kind) => kind === named) ?? (post.name ? 'article' : 'note');
}

/** The most characters that a post's text can have: the limit of the contract. */
export const mostCharacters = 200_000;

/** Returns whether a text is an address that a post can respond to. */
export const isWebAddress = (text: string) => /^https?:\/\/[^\s/]/i.test(text) && URL.canParse(text);
/** Returns whether a text is a date that a post can have. */
export const isDate = (text: string) => /^\d{4}-/.test(text) && !Number.isNaN(Date.parse(text));
/** Returns whether a slug has a character that an address can contain. */
export const hasLetters = (slug: string) => /[\p{L}\p{N}]/u.test(slug);

let ids = 0;
/** Returns an id for a form, or for a photo in it. It is unique in this window. */
export function newFormId(): string {
  ids += 1;
  return `form-${ids}`;
}

function nameIn(url: string): string {
  const last = url.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

import {
  addressField,
  hasField,
  hasLetters,
  isDate,
  isWebAddress,
  isWorthSaving,
  textOf,
  type Form,
} from './form.ts';
import { missingWords, type askedWords } from './words.ts';

/** The fields that can keep a post from being published. */
export type AskedField = keyof typeof askedWords;
export type Missing = Partial<Record<AskedField, string>>;

/** Returns what keeps the post in the form from being published: a sentence for each field, in the form's order. */
export function missingIn(form: Form, refusedSlug: string | null): Missing {
  const { kind, slug, published } = form;
  const field = addressField(form);
  const address = field && form[field].trim();
  const isEmpty = !isWorthSaving(textOf(form, 'published'));
  const needsText = hasField(form, 'text') && kind !== 'photo' && isEmpty;
  return {
    ...(address === '' && { address: missingWords.address }),
    ...(address !== undefined && address !== '' && !isWebAddress(address) && { address: missingWords.web }),
    ...(kind === 'rsvp' && form.rsvp === '' && { rsvp: missingWords.rsvp }),
    ...(kind === 'article' && form.name.trim() === '' && { name: missingWords.name }),
    ...(kind === 'photo' && form.photos.length === 0 && { photos: missingWords.photos }),
    ...(form.photos.some(({ failure }) => failure !== null) && { photos: missingWords.failedPhotos }),
    ...(needsText && { text: missingWords.text }),
    ...(kind === 'reply' &&
      form.text.trim() === '' &&
      form.photos.length === 0 && { text: missingWords.reply }),
    ...(slug.trim() !== '' && !hasLetters(slug) && { slug: missingWords.slug }),
    ...(slug.trim() !== '' && slug.trim() === refusedSlug && { slug: missingWords.slugTaken }),
    ...(published !== '' && !isDate(published) && { published: missingWords.published }),
  };
}

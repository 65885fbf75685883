import { PorchlightError } from '../../../src-main/contract/error.ts';
import {
  addressField,
  hasField,
  hasLetters,
  isDate,
  isWebAddress,
  isWorthSaving,
  mostCharacters,
  textOf,
  type Form,
} from './form.ts';
import { missingWords, type askedWords } from './words.ts';

/** The fields that can keep a post from being published. */
export type AskedField = keyof typeof askedWords;
export type Missing = Partial<Record<AskedField, string>>;

/** @throws PorchlightError `invalid_request` if a text is longer than the service takes */
export function checkLength({ text }: { readonly text: string }): void {
  if (text.length > mostCharacters)
    throw new PorchlightError('invalid_request', missingWords.tooLong(text.length, mostCharacters));
}

/** Returns what is wrong with the form even before the owner wants to publish the post. */
export function wrongIn({ slug, text }: Form, refusedSlug: string | null): Missing {
  return {
    ...(text.length > mostCharacters && { text: missingWords.tooLong(text.length, mostCharacters) }),
    ...(slug.trim() !== '' && !hasLetters(slug) && { slug: missingWords.slug }),
    ...(slug.trim() !== '' && slug.trim() === refusedSlug && { slug: missingWords.slugTaken }),
  };
}

/** Returns what keeps the post in the form from being published: a sentence for each field, in the form's order. */
export function missingIn(form: Form, refusedSlug: string | null): Missing {
  const { kind, published } = form;
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
    ...wrongIn(form, refusedSlug),
    ...(published !== '' && !isDate(published) && { published: missingWords.published }),
  };
}

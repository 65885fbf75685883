import type { Bag } from './post-content.ts';

/** Gives each photo the alt text at the same position in `mp-photo-alt` (MX-21). */
export function withAltTexts(bag: Bag): Bag {
  const texts = bag.get('mp-photo-alt');
  const photos = bag.get('photo');
  if (!texts || !photos) return bag;
  const described = photos.map((value, index) => {
    const alt = texts[index];
    return typeof value === 'string' && value !== '' && typeof alt === 'string' && alt !== ''
      ? { value, alt }
      : value;
  });
  return new Map([...bag, ['photo', described]]);
}

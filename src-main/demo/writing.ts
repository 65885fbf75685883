import type { SettingsPatch } from '../contract/settings.ts';

/** An article in Markdown that the owner of the demo writes in Porchlight's window. */

export interface DemoArticle {
  readonly name: string;
  readonly summary: string;
  readonly text: string;
  readonly replies: readonly string[];
  /** The original text, which the owner corrects an hour after publication. Absent if there is no correction. */
  readonly firstText?: string;
}

const meeting = `Forty people came, two of them shouted, and we got a bench and a speed limit out of it.

### Decided

- The bench goes under the linden, facing the river.
- 30 km/h from the bakery to the bridge.

### Open

Who waters the tubs in summer. I said I would ask around, so: would you? #neighborhood`;

export const articles: readonly DemoArticle[] = [
  {
    name: 'What a year on my own domain taught me',
    summary: 'Nothing broke that I could not fix myself.',
    replies: [
      'Thank you for writing this down. I sent it to my sister.',
      'Swept! That is the word I needed.',
    ],
    text: `Nothing broke that I could not fix myself. That is the whole point, and it took me a year to believe it.

## What I expected

A weekend of work, then a slow decline. I had moved house online before: *four* times, each time with a box of photos that never got unpacked.

## What happened

1. I wrote more, because nobody counts my words here.
2. Old posts kept getting replies. Somebody answered one from February **in October**.
3. My address stayed the same while I changed everything behind it.

> A site is never finished. It is only ever swept.

Next year I will write about the #garden more, and about the #indieweb less.`,
  },
  {
    name: 'How I plan a vegetable bed',
    summary: 'Draw the bed to scale, then cut the list in half.',
    replies: ['Half is still too much, in my experience.', 'Where do the tomatoes go?'],
    text: `Start with what you eat, not with what grows. Then draw the bed to scale, and cut the list in half.

- **North side:** beans and anything else that climbs.
- **Middle:** chard, two rows of leeks.
- **South edge:** lettuce, resown every three weeks.

The plan lives on a sheet of squared paper in the shed. When it gets wet, I draw it again, and it gets better. #garden`,
  },
  {
    name: 'Small tools that earned their place',
    summary: 'A head torch, a pocket scale, a good pencil.',
    replies: ['I disagree about the pencil, but the rest is right.', 'How much did the hedgehog weigh?'],
    text: `A head torch, a pocket scale, a good pencil. None of them needs an account.

The torch hangs by the back door. The scale has weighed seeds, letters and one very small hedgehog. The pencil is the one I borrowed from the library, and I **will** bring it back.`,
  },
  {
    name: 'Notes from the neighborhood meeting',
    summary: 'A bench and a speed limit.',
    replies: ['Congratulations on the bench!', 'I can water on Tuesdays.'],
    text: meeting,
    firstText: meeting.replace('30 km/h', '20 km/h'),
  },
];

export const site: NonNullable<SettingsPatch['site']> = {
  tagline: 'Garden, river walks and small tools',
  about:
    'I live in a small town by a river, grow more beans than I can eat, and keep this site on the computer under my desk. **Say hello:** I read every reply.',
  links: [
    { label: 'Code', url: 'https://code.example/robin' },
    { label: 'Photos', url: 'https://pictures.example/@robin' },
  ],
  pages: [
    {
      slug: 'about',
      title: 'About',
      text: `I am Robin. By day I repair pianos; in the evening I write here.

This site runs at home. If it is slow, somebody in this house is watching a film.

## Elsewhere

Nowhere in particular. Everything I write starts here.`,
    },
    {
      slug: 'now',
      title: 'Now',
      text: `- Reading about hedges
- Learning to graft apple trees
- Sanding a bench for the river path`,
    },
  ],
};

/** The text of a post that is scheduled for tomorrow. */
export const announcement =
  'Seed swap at the library tonight at seven. Bring an envelope and a story. #garden';

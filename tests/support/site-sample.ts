import type { Post } from '../../src-main/contract/posts.ts';
import { postOf } from './site.ts';

const there = 'https://bo.example/2026/on-light';
const cite = {
  type: ['h-cite'],
  properties: {
    url: [there],
    name: ['On light'],
    author: [{ type: ['h-card'], properties: { name: ['Bo'], url: ['https://bo.example/'] } }],
    content: ['A lamp by the door says that somebody is at home.'],
  },
};

/** A post of each kind, as people write them. */
export const sampleSite: readonly Post[] = [
  postOf(
    {
      content: [
        'The light is on.\nCome in! https://bo.example/a/very/long/address/that/does/not/end/soon/because/it/goes/on/and/on\n\nShoes off, please 👋🏽',
      ],
      category: ['porch', 'two words'],
    },
    { slug: 'note', updatedAt: '2026-11-22T08:00:00.000Z' },
  ),
  postOf(
    {
      name: ['On porches'],
      summary: ['Why a house needs a place that is neither in nor out.'],
      content: [
        {
          html:
            '<p>A porch is <em>neither</em> in nor out. <a href="https://bo.example/">Bo</a> says so too.</p><h1>Wood</h1>' +
            '<ul><li>Larch</li><li>Oak</li></ul><blockquote><p>Sit down.</p></blockquote><pre><code>const light = "on"; // a long line of code that does not fit the page at all, not even on a wide screen, so that it scrolls</code></pre>' +
            '<table><thead><tr><th>Wood</th><th>Years</th></tr></thead><tbody><tr><td>Larch</td><td>50</td></tr></tbody></table>' +
            '<figure><img src="/media/7.webp" alt="Larch boards"><figcaption>Larch, after a winter</figcaption></figure>' +
            `<p>${'It goes on for a while, as articles do. '.repeat(60)}</p>`,
        },
      ],
      category: ['porch', 'wood'],
      syndication: ['https://social.example/@ann/1'],
    },
    { slug: 'article' },
  ),
  postOf(
    {
      photo: [{ value: '/media/1.webp', alt: 'The sun goes down behind the hills' }],
      content: ['Seen from the porch.'],
      category: ['porch'],
    },
    { slug: 'photo' },
  ),
  postOf(
    {
      photo: [
        { value: '/media/2.webp', alt: 'Hills in the morning' },
        { value: '/media/3.webp', alt: 'Hills at noon' },
      ],
      content: ['Twice the same hills.'],
    },
    { slug: 'photos-two' },
  ),
  postOf(
    {
      photo: [4, 5, 6].map((number) => ({ value: `/media/${number}.webp`, alt: `Hills, ${number}` })),
      content: ['And three times.'],
    },
    { slug: 'photos-three' },
  ),
  postOf(
    {
      content: ['Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'.repeat(3)],
      category: ['Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz'.repeat(2)],
    },
    { slug: 'long-words' },
  ),
  postOf(
    {
      photo: Array.from({ length: 50 }, (_, index) => ({
        value: `/media/${index}.webp`,
        alt: `Picture ${index}`,
      })),
      content: ['Fifty'],
    },
    { slug: 'photos' },
  ),
  postOf({ photo: [{ value: 'https://bo.example/p.jpg', alt: 'Kept by Bo' }] }, { slug: 'photo-elsewhere' }),
  postOf({ video: ['/media/rain.webm'], content: ['Rain'] }, { slug: 'video' }),
  postOf({ audio: ['/media/rain.wav'], content: ['Rain, heard'] }, { slug: 'audio' }),
  postOf({ 'in-reply-to': [cite], content: ['Mine is on since six.'] }, { slug: 'reply' }),
  postOf({ 'in-reply-to': [there], content: ['Yes.'] }, { slug: 'reply-plain' }),
  postOf({ 'like-of': [there] }, { slug: 'like' }),
  postOf({ 'repost-of': [cite] }, { slug: 'repost' }),
  postOf(
    { 'bookmark-of': [there], name: ['On light, by Bo'], content: ['For later'], category: ['porch'] },
    { slug: 'bookmark' },
  ),
  postOf(
    { rsvp: ['yes'], 'in-reply-to': ['https://bo.example/party'], content: ['With cake'] },
    { slug: 'rsvp' },
  ),
  postOf(
    {
      name: ['New year on the porch'],
      start: ['2026-12-31T20:00:00+01:00'],
      end: ['2027-01-01T02:00:00+01:00'],
      location: ['The porch'],
      content: ['Bring a chair.'],
    },
    { slug: 'event', type: ['h-event'] },
  ),
  postOf(
    {
      checkin: [
        {
          type: ['h-card'],
          properties: {
            name: ['Zum Löwen'],
            url: ['https://loewen.example/'],
            locality: ['Köln'],
            'country-name': ['Germany'],
            latitude: ['50.94'],
            longitude: ['6.96'],
          },
        },
      ],
      content: ['Cake'],
    },
    { slug: 'checkin' },
  ),
  postOf(
    {
      name: ['על מרפסות'],
      content: ['האור דולק. היכנסו!\n\nhttps://bo.example/ גם כאן.'],
      'in-reply-to': [there],
    },
    { slug: 'right-to-left' },
  ),
  postOf(
    { content: [{ html: `<p>${'Many words in one long post. '.repeat(40)}</p>`.repeat(180) }] },
    { slug: 'long' },
  ),
  postOf({ content: ['A bench, made of what was left of the porch.'] }, { slug: 'answered' }),
  postOf(
    { name: ['A party'], start: ['2026-12-05T18:00:00+01:00'], content: ['Come as you are.'] },
    { slug: 'invited', type: ['h-event'] },
  ),
  postOf({ content: ['gone'] }, { slug: 'gone', deletedAt: '2026-11-22T00:00:00.000Z' }),
];

import { people, strangers, type Person } from './cast.ts';
import { articles, type DemoArticle } from './writing.ts';

/** A post of the demo's year, in the form in which the demo's app sends it. */
export interface DemoPost {
  readonly daysAgo: number;
  readonly properties: Readonly<Record<string, readonly unknown[]>>;
  /** The alt texts of the post's pictures. The app uploads the pictures before it creates the post. */
  readonly photos?: readonly string[];
  /** Set if the owner wrote the post in the window instead. */
  readonly article?: DemoArticle;
  readonly isDraft?: boolean;
}

export interface DemoMention {
  /** The index of the mentioned post. */
  readonly post: number;
  readonly from: Person;
  readonly kind: 'in-reply-to' | 'like-of' | 'repost-of' | 'bookmark-of';
  readonly text: string;
  /** How many days after the post the mention is sent. */
  readonly after: number;
}

/** How many days ago the oldest and the newest post were published. */
const [oldest, newest] = [360, 1];

const notes = [
  'First frost this morning. The garden is done for the year, and I am not.',
  'Moved my site to a smaller theme. It loads before I can blink now.',
  'The library has a new shelf for local zines. I left three of mine there.',
  'Walked home along the river instead of taking the bus. Worth the wet shoes.',
  'Reminder to myself: write things down on my own site first.',
  'The bakery on Mill Street is open again, and the rye is as good as it was.',
  'Learned to sharpen a knife properly. Twenty years late, but still.',
  'A neighbor brought over a jar of quince jelly. I have to give something back.',
  'Spent an hour reading old posts of mine. Past me was very sure about everything.',
  'The first swifts are back. Spring can start now.',
  'Backed up everything today. If you read this, do the same.',
  'The choir found a tenor. We can finally sing the piece we picked in autumn.',
  'No phone for a whole Sunday. I missed nothing, and I slept well.',
  'Planted beans along the fence. Everyone who passes gets some in August.',
  'The repair café fixed my toaster for a slice of cake. Good trade.',
];
const photos = [
  'Fog over the river at sunrise',
  'The garden path after the first snow',
  'A bowl of plums on the kitchen table',
  'Evening light on the old bridge',
  'The allotment in June, seen from the shed',
  'Clouds over the north fields',
  'A red kite above the hill',
  'The harbor at low tide',
  'Beans climbing the fence',
  'The lake in October',
  'Street lamps in the rain',
  'The first crocus of the year',
];
const categories = ['garden', 'walks', 'books', 'indieweb', 'food', 'neighborhood'];
const replies = [
  'This is exactly how I feel about it too.',
  'Which theme did you pick in the end? I am looking for something that small.',
  'Lovely. I did the same walk last week and got just as wet.',
  'Could you post the recipe? My quinces are ripe.',
  'We had our first frost two days later, and I had left the dahlias out.',
  'Thank you for writing this down. I sent it to my sister.',
  'I disagree about the pencil, but the rest is right.',
  'The swifts are back here as well, a week later than last year.',
  'I have been thinking about this all day.',
  'Congratulations on the bench!',
];

/** Returns the posts of the year, oldest first. */
export function postsOfTheYear(): DemoPost[] {
  const posts: DemoPost[] = [];
  const add = (post: Omit<DemoPost, 'daysAgo'>) => posts.push({ ...post, daysAgo: 0 });
  notes.forEach((text, index) => {
    add({ properties: { content: [text], category: [categories[index % categories.length]] } });
    const photo = photos[index];
    if (photo !== undefined)
      add({ properties: { content: [`${photo}.`], category: ['walks'] }, photos: [photo] });
    const article = articles[Math.floor(index / 4)];
    if (index % 4 === 2 && article)
      add({ properties: { name: [article.name], content: [article.text] }, article });
    const friend = friendOf(index);
    const page = `https://${friend.host}/notes/${index + 1}`;
    if (index % 3 === 0)
      add({ properties: { 'in-reply-to': [page], content: [replies[index % replies.length]] } });
    if (index % 3 === 1) add({ properties: { 'like-of': [page] } });
    if (index % 5 === 2)
      add({ properties: { 'bookmark-of': [page], name: [`${friend.name} on slow websites`] } });
    if (index % 5 === 4) add({ properties: { 'repost-of': [page] } });
    if (index % 7 === 3)
      add({ properties: { 'in-reply-to': [`https://${friend.host}/events/meetup`], rsvp: ['yes'] } });
  });
  add({
    properties: { content: ['Three mornings at the river, one after the other.'], category: ['walks'] },
    photos: ['The river before sunrise', 'The same bend an hour later', 'Two herons in the shallows'],
  });
  add({
    properties: { name: ['Winter reading'], content: ['Three books for the long evenings.'] },
    isDraft: true,
  });
  const step = (oldest - newest) / (posts.length - 1);
  return posts.map((post, index) => ({ ...post, daysAgo: oldest - Math.round(index * step) }));
}

const friendOf = (number: number): Person => people[(number * 7) % people.length] as Person;

/** Returns the mentions of the posts. Photos and articles get more mentions than other posts. */
export function mentionsOf(posts: readonly DemoPost[]): DemoMention[] {
  return posts.flatMap((post, index) => {
    if (post.isDraft === true || 'like-of' in post.properties || 'repost-of' in post.properties) return [];
    const count = post.photos !== undefined || 'name' in post.properties ? 5 : 2;
    return Array.from({ length: count }, (_, number): DemoMention => {
      const from = people[(index * 3 + number * 5) % people.length] as Person;
      const kinds = ['like-of', 'in-reply-to', 'like-of', 'repost-of', 'bookmark-of'] as const;
      const kind = kinds[(index + number) % kinds.length] ?? 'like-of';
      const text = kind === 'in-reply-to' ? (replies[(index + number * 3) % replies.length] ?? '') : '';
      return { post: index, from, kind, text, after: number };
    });
  });
}

/** Returns mentions by people who have never mentioned the owner before, so these mentions wait for approval. */
export function strangersOf(posts: readonly DemoPost[]): DemoMention[] {
  const post = posts.findLastIndex(
    ({ properties, isDraft }) => isDraft !== true && 'name' in properties && 'content' in properties,
  );
  return strangers.map((from, index) => ({
    post,
    from,
    kind: 'in-reply-to',
    text:
      index === 0 ? 'Hello! I found your site through the library’s zine shelf.' : 'Do you take guest posts?',
    after: 0,
  }));
}

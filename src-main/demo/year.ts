import { people, type Person, strangers } from './cast.ts';
import { articles, type DemoArticle } from './writing.ts';

/** A post of the demo's year, in the format that the demo's app sends. */
export interface DemoPost {
  readonly daysAgo: number;
  readonly properties: Readonly<Record<string, readonly unknown[]>>;
  /** The alt texts of the post's pictures. The app uploads the pictures before it creates the post. */
  readonly photos?: readonly string[];
  /** The article, if the owner wrote the post in Porchlight's window instead of in the app. */
  readonly article?: DemoArticle;
  readonly isDraft?: boolean;
  readonly replies?: readonly string[];
}

export interface DemoMention {
  /** The index of the mentioned post in the list of posts. */
  readonly post: number;
  readonly from: Person;
  readonly kind: 'in-reply-to' | 'like-of' | 'repost-of' | 'bookmark-of';
  readonly text: string;
  /** The number of days between the post and the mention. */
  readonly after: number;
}

const dayMs = 24 * 60 * 60 * 1000;
/** The maximum age of the owner's posts, in days. */
const mostDaysAgo = 360;

/**
 * Returns how many days ago a date last occurred: a number from 1 to `mostDaysAgo`. `on`: month and day, such as
 * `01-09`.
 */
function daysSince(on: string, now: number): number {
  const year = new Date(now).getUTCFullYear();
  const ago = [year, year - 1].map((one) => Math.floor((now - Date.parse(`${one}-${on}T00:00:00Z`)) / dayMs));
  return Math.min(ago.find((days) => days > 0) ?? mostDaysAgo, mostDaysAgo);
}

/**
 * Returns the person at an index. Indexes past the last person start again with the first. Every person has notes to
 * which the owner can respond.
 */
const personAt = (place: number): Person => people[place % people.length] as Person;
const noteBy = ({ host }: Person, number: number) => `https://${host}/notes/${number}`;

/**
 * Returns the owner's responses to other people's pages. The replies fit the texts of these pages. The text of each
 * page depends on its author's hue (see web.ts).
 */
function responses(): DemoPost[] {
  const [walker, other, diarist] = [personAt(1), personAt(5), personAt(2)];
  const replied: [Person, string, number][] = [
    [walker, 'Ours goes past two bakeries. Come and walk it with me.', 330],
    [diarist, 'What a find. Please type up the rest, too.', 255],
    [other, 'Agreed, in that order. I would add a bench.', 150],
    [personAt(6), 'My aunt wrote down the price of eggs. I have all of it.', 62],
  ];
  const liked: [Person, number][] = [
    [personAt(9), 341],
    [personAt(10), 270],
    [personAt(13), 205],
    [personAt(14), 131],
    [personAt(16), 34],
  ];
  const saved: [Person, number][] = [
    [personAt(0), 301],
    [personAt(4), 178],
    [personAt(8), 48],
  ];
  const passedOn: [Person, number][] = [
    [personAt(15), 288],
    [personAt(19), 117],
    [personAt(23), 14],
  ];
  const invited: [Person, number][] = [
    [personAt(3), 226],
    [personAt(7), 88],
  ];
  return [
    ...replied.map(([from, text, daysAgo], number) => ({
      daysAgo,
      properties: { 'in-reply-to': [noteBy(from, number + 1)], content: [text] },
    })),
    ...liked.map(([from, daysAgo], number) => ({
      daysAgo,
      properties: { 'like-of': [noteBy(from, number + 11)] },
    })),
    ...saved.map(([from, daysAgo], number) => ({
      daysAgo,
      properties: { 'bookmark-of': [noteBy(from, number + 21)], name: [`${from.name} on slow websites`] },
    })),
    ...passedOn.map(([from, daysAgo], number) => ({
      daysAgo,
      properties: { 'repost-of': [noteBy(from, number + 31)] },
    })),
    ...invited.map(([{ host }, daysAgo]) => ({
      daysAgo,
      properties: { 'in-reply-to': [`https://${host}/events/meetup`], rsvp: ['yes'] },
    })),
  ];
}

/** The age of each article, in days. */
const articleDays = [310, 198, 104, 23];

/** Returns the posts of the year, oldest first. `now`: the current time in ms. */
export function postsOfTheYear(now: number): DemoPost[] {
  const posts: DemoPost[] = [
    ...notes.map(({ on, text, category, replies }) => ({
      daysAgo: daysSince(on, now),
      properties: { content: [text], category: [category] },
      ...(replies && { replies }),
    })),
    ...photos.map(({ on, text, category, replies }) => ({
      daysAgo: daysSince(on, now),
      properties: { content: [`${text}.`], category: [category] },
      photos: [text],
      ...(replies && { replies }),
    })),
    ...articles.map((article, index) => ({
      daysAgo: articleDays[index] ?? mostDaysAgo,
      properties: { name: [article.name], content: [article.text] },
      article,
      replies: article.replies,
    })),
    ...responses(),
    {
      daysAgo: 8,
      properties: { content: ['Three mornings above the river, one after the other.'], category: ['walks'] },
      photos: ['The hills before seven', 'The same view a day later', 'The third morning, the clearest one'],
      replies: ['The second one. I would frame it.', 'You got up three times for this? Worth it.'],
    },
  ];
  const draft = {
    daysAgo: 1,
    isDraft: true,
    properties: { name: ['Winter reading'], content: ['Three books for the long evenings.'] },
  };
  return [...posts.toSorted((a, b) => b.daysAgo - a.daysAgo), draft];
}

/** Replies that fit any post. */
const anywhere = ['This is exactly how I feel about it too.', 'I have been thinking about this all day.'];

/** Returns the mentions of the posts. Photos and articles get more mentions than other posts. */
export function demoMentionsOf(posts: readonly DemoPost[]): DemoMention[] {
  return posts.flatMap((post, index) => {
    if (post.isDraft === true || 'like-of' in post.properties || 'repost-of' in post.properties) return [];
    const count = post.photos !== undefined || 'name' in post.properties ? 5 : 2;
    return Array.from({ length: count }, (_, number): DemoMention => {
      const from = people[(index * 3 + number * 5) % people.length] as Person;
      const kinds = ['like-of', 'in-reply-to', 'like-of', 'repost-of', 'bookmark-of'] as const;
      const kind = kinds[(index + number) % kinds.length] ?? 'like-of';
      const { replies = anywhere } = post;
      const text = kind === 'in-reply-to' ? (replies[number % replies.length] ?? '') : '';
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

/** A note or a photo by the owner of the demo, with its date and with replies by other people. */
interface DiaryEntry {
  /** Month and day, from `01-01` to `12-31`. */
  readonly on: string;
  readonly text: string;
  readonly category: string;
  readonly replies?: readonly string[];
}

const notes: readonly DiaryEntry[] = [
  {
    on: '01-09',
    text: 'The library has a new shelf for local zines. I left three of mine there.',
    category: 'books',
    replies: ['I found the one about hedges. Is there a second part?', 'We should ask our library for that.'],
  },
  {
    on: '01-24',
    text: 'Moved my site to a smaller theme. It loads before I can blink now.',
    category: 'indieweb',
    replies: ['Which theme did you pick in the end? I am looking for something that small.'],
  },
  {
    on: '02-11',
    text: 'Learned to sharpen a knife properly. Twenty years late, but still.',
    category: 'food',
    replies: ['Which stone do you use?', 'Now mind your fingers for a week.'],
  },
  { on: '02-26', text: 'Backed up everything today. If you read this, do the same.', category: 'indieweb' },
  {
    on: '03-14',
    text: 'The choir found a tenor. We can finally sing the piece we picked in autumn.',
    category: 'neighborhood',
    replies: ['Tell us when. I want to hear it.'],
  },
  {
    on: '04-22',
    text: 'The first swifts are back. Summer can start now.',
    category: 'garden',
    replies: ['They are back here as well, a week later than last year.', 'Ours are still on their way.'],
  },
  {
    on: '05-10',
    text: 'Planted beans along the fence. Everyone who passes gets some in August.',
    category: 'garden',
    replies: ['I pass on purpose from now on.'],
  },
  {
    on: '06-07',
    text: 'The bakery on Mill Street is open again, and the rye is as good as it was.',
    category: 'food',
    replies: ['Do they have the seeded one, too?'],
  },
  {
    on: '06-28',
    text: 'No phone for a whole Sunday. I missed nothing, and I slept well.',
    category: 'neighborhood',
    replies: ['I tried it today. I missed a train, but in a good way.'],
  },
  { on: '07-19', text: 'Seven liters of beans. I have started to knock on doors.', category: 'garden' },
  {
    on: '08-15',
    text: 'The repair café fixed my toaster for a slice of cake. Good trade.',
    category: 'neighborhood',
    replies: ['What kind of cake? I have a broken radio.', 'They fixed my lamp. It took two slices.'],
  },
  {
    on: '09-12',
    text: 'Spent an hour reading old posts of mine. Past me was very sure about everything.',
    category: 'indieweb',
    replies: ['Future you says hello.'],
  },
  {
    on: '10-03',
    text: 'A neighbor brought over a jar of quince jelly. I have to give something back.',
    category: 'food',
    replies: ['Could you post the recipe? My quinces are ripe.'],
  },
  {
    on: '11-06',
    text: 'First frost this morning. The garden is done for the year, and I am not.',
    category: 'garden',
    replies: ['We had ours two days later, and I had left the dahlias out.'],
  },
  {
    on: '12-04',
    text: 'Walked home along the river instead of taking the bus. Worth the wet shoes.',
    category: 'walks',
    replies: ['I did the same walk last week and got just as wet.'],
  },
];

/** The owner's photos. For each photo, the demo draws a picture of hills and a sun. */
const photos: readonly DiaryEntry[] = [
  ['01-17', 'Low sun over the north fields'],
  ['02-05', 'From the ridge, before the clouds came'],
  ['03-20', 'The first warm evening on the hill'],
  ['04-12', 'Morning on the long hill'],
  ['05-24', 'The valley in May, seen from the bench'],
  ['06-21', 'The longest day, ten minutes before its end'],
  ['07-08', 'Above the river, five in the morning'],
  ['08-02', 'The dry hills behind the mill'],
  ['08-30', 'Last light over the three hills'],
  ['09-21', 'The view from the lookout'],
  ['10-18', 'October from the ridge'],
  ['12-28', 'The year’s last sun above the town'],
].map(([on = '', text = '']) => ({
  on,
  text,
  category: 'walks',
  replies: ['Where is this? I want to walk there.', 'That light!', 'I know that bench.'],
}));

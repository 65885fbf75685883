/** A note or a photo by the owner of the demo, with its date and with replies by other people. */
export interface DiaryEntry {
  /** Month and day, from `01-01` to `12-31`. */
  readonly on: string;
  readonly text: string;
  readonly category: string;
  readonly replies?: readonly string[];
}

export const notes: readonly DiaryEntry[] = [
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
export const photos: readonly DiaryEntry[] = [
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

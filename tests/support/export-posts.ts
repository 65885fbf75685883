/** The addresses of files that were uploaded. */
export interface SampleFiles {
  readonly photo: string;
  readonly second: string;
  readonly audio: string;
  readonly video: string;
}

/** A post as an app sends it, by the slug that it asks for. `says`: words that its page must show literally. */
export interface SamplePost {
  readonly type?: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly says: readonly string[];
}

export const there = 'https://bo.example/2026/on-light';
const card = { type: ['h-card'], properties: { name: ['Zum Löwen'], locality: ['Köln'] } };
const cite = { type: ['h-cite'], properties: { url: [there], name: ['On light'], content: ['A lamp.'] } };

/** What generators and their parsers would take for something else than text. */
export const templates = [
  '{{ site.title }}',
  '{% include nothing %}',
  '{{< shortcode >}}',
  '{{% shortcode %}}',
  '{# comment #}',
  '<%= 1 %>',
  '---',
  '# no heading',
  '<script>alert(1)</script>',
];

const long = 'A very long line of a very long post. '.repeat(5500);

/** Posts of every kind, and posts that are hard to build. All are public. */
export const samplePosts = ({
  photo,
  second,
  audio,
  video,
}: SampleFiles): Readonly<Record<string, SamplePost>> => ({
  note: {
    properties: { content: ['The light is on.\n\n*Come in!*'] },
    says: ['The light is on.', '*Come in!*'],
  },
  article: {
    properties: {
      name: ['On "porches": a title'],
      summary: ['Neither in nor out.'],
      content: [
        {
          html: `<p>A <em>porch</em>.</p><h2>Wood</h2><p><img src="${photo}" alt="Larch"></p><pre><code>if (a) {{ b }}</code></pre>`,
        },
      ],
      category: ['two words', 'a "quoted" one', 'c/d', '..'],
    },
    says: ['Neither in nor out.', 'Wood', 'if (a) {{ b }}', 'two words', 'a "quoted" one', 'c/d'],
  },
  essay: { properties: { name: ['An essay'], content: ['Plain <b>text</b>'] }, says: ['Plain <b>text</b>'] },
  reply: { properties: { 'in-reply-to': [there], content: ['Mine too.'] }, says: ['Mine too.'] },
  'reply-cite': { properties: { 'in-reply-to': [cite], content: ['Yes.'] }, says: ['On light', 'A lamp.'] },
  like: { properties: { 'like-of': [there] }, says: [] },
  repost: { properties: { 'repost-of': [cite] }, says: ['A lamp.'] },
  bookmark: { properties: { 'bookmark-of': [there], name: ['For later'] }, says: ['For later'] },
  rsvp: { properties: { rsvp: ['yes'], 'in-reply-to': ['https://bo.example/party'] }, says: [] },
  photos: {
    properties: {
      photo: [
        { value: photo, alt: 'Hills "at noon" {{ now }}' },
        { value: second, alt: 'תמונה' },
        { value: photo, alt: 'Hills again' },
      ],
      content: ['Hills'],
    },
    says: ['Hills'],
  },
  audio: { properties: { audio: [audio], content: ['Rain, heard'] }, says: ['Rain, heard'] },
  video: { properties: { video: [video], content: ['Rain, seen'] }, says: ['Rain, seen'] },
  checkin: { properties: { checkin: [card], content: ['Cake'] }, says: ['Zum Löwen', 'Köln', 'Cake'] },
  event: {
    type: 'h-event',
    properties: {
      name: ['New year'],
      start: ['2026-12-31T20:00:00+01:00'],
      end: ['2027-01-01T02:00:00+01:00'],
      location: ['The porch'],
    },
    says: ['New year', '31 December 2026', 'The porch'],
  },
  templates: {
    properties: {
      name: [templates.join(' ')],
      content: [templates.toReversed().join('\n')],
      category: ['{{ tag }}', '---'],
    },
    says: [...templates, '{{ tag }}'],
  },
  'html-templates': {
    properties: { content: [{ html: `<p title="{{ a }}">{{ b }} {% raw %} {{< c >}}</p>` }] },
    says: ['{{ b }} {% raw %} {{< c >}}'],
  },
  ...Object.fromEntries(
    ['yes', 'null', '2024-01-01', '12:30', '~', '- item', '&anchor *alias', '!tag', '🏳️‍🌈: "é"'].map(
      (name, index): [string, SamplePost] => [
        `title-${index}`,
        {
          properties: { name: [name], content: ['Text.'], category: [name, 'all', 'porchlightPosts'] },
          says: [name],
        },
      ],
    ),
  ),
  'מרפסת-🏳️‍🌈': {
    properties: { name: ['על מרפסות'], content: ['האור דולק'] },
    says: ['על מרפסות', 'האור דולק'],
  },
  long: { properties: { content: [long] }, says: [long.trim()] },
  'control-characters': {
    properties: {
      name: ['Bell \u0007 \u0085 \u2028 \u007f rings'],
      content: ['Form\u000cfeed \u0001 and on'],
    },
    says: ['and on'],
  },
  dated: { properties: { published: ['2025-03-30 01:30+05:45'], content: ['Long ago'] }, says: ['Long ago'] },
  'day-only': { properties: { published: ['2024-02-29'], content: ['A leap day'] }, says: ['A leap day'] },
  tags: {
    properties: {
      content: ['Tagged'],
      category: ['__proto__', 'constructor', 'post', 'true', ' ', '日本語'],
    },
    says: ['日本語', 'post', 'true'],
  },
});

import type { Page } from 'playwright';
import { writeHash } from '../../src-renderer/routes.ts';
import { livedInHouse, quietHouse, type House } from './window-fixtures.ts';
import { bridgedHouse } from './window-houses.ts';
import { button, type View } from './window-view.ts';

/** A small picture of a winter sky. */
const snow =
  'iVBORw0KGgoAAAANSUhEUgAAABgAAAASCAIAAADOjonJAAAAbElEQVR42q3CIQrCAACG0e+sJpPJZDKZTDMoCC44GGiYMJhhA0HDBMOCwRv85/AS3+Px/kXJ8xslwxQl3SdKbmOUXF5RUj2i5NRHyeEeJUUbJdsmSjbXKFnXUbI6R8myjJLFMUrm+yiZ7aL8A9kQsS4717aoAAAAAElFTkSuQmCC';

const article =
  'A porch is a room with *one* wall missing.\n\n- It has a **lamp**\n- and a [chair](https://chair.example)';
const draft = 'https://porch.marlow.example/posts/2026/11/unfinished';
const lamp = 'https://porch.marlow.example/posts/2026/11/the-lamp-is-on';

/** The owner has pages of their own. */
function pagesHouse(now: number): House {
  const house = livedInHouse(now);
  const pages = [
    {
      slug: 'now',
      title: 'Now',
      text: 'What I do this autumn:\n\n- I read *The Summer Book*\n- I mend the porch',
    },
    { slug: 'uses', title: 'Uses', text: 'A lamp, and a pencil.' },
  ];
  return { ...house, settings: { ...house.settings, site: { ...house.settings.site, pages } } };
}

/** The screen for writing. */
export const writingViews: readonly View[] = [
  { name: 'write', house: livedInHouse, hash: writeHash() },
  { name: 'write-quiet', house: quietHouse, hash: writeHash() },
  {
    name: 'write-targets',
    house: bridgedHouse,
    hash: writeHash(),
    prepare: (page) => page.getByText('Fediverse and Bluesky (Bridgy Fed)').click(),
  },
  { name: 'write-photo', house: livedInHouse, hash: `${writeHash()}?kind=photo` },
  { name: 'write-page', house: pagesHouse, hash: `${writeHash()}?page=now` },
  {
    name: 'write-article',
    house: livedInHouse,
    hash: writeHash(),
    prepare: async (page) => {
      await page.getByText('Article', { exact: true }).click();
      await page.getByLabel('Title').fill('On porches');
      await page.getByRole('textbox', { name: 'Text' }).fill(article);
      const picture = Buffer.from(snow, 'base64');
      await button(page, 'Details').click();
      await page
        .getByLabel('Cover', { exact: true })
        .setInputFiles({ name: 'snow.png', mimeType: 'image/png', buffer: picture });
      await page.locator('li img').waitFor();
      await page.getByText(/^Draft saved at/).waitFor();
    },
  },
  {
    name: 'write-preview',
    house: livedInHouse,
    hash: writeHash({ post: lamp }),
    prepare: async (page) => {
      await button(page, 'Preview').click();
      await page.getByRole('region', { name: 'Preview' }).getByText('The lamp is on').waitFor();
    },
  },
  {
    name: 'write-reply',
    house: livedInHouse,
    hash: writeHash({ reply: 'https://wren.example/cats' }),
    prepare: async (page) => {
      await button(page, 'Publish').click();
      await page
        .getByRole('alert')
        .getByText(/Check the text/)
        .waitFor();
    },
  },
  {
    name: 'write-response',
    house: livedInHouse,
    hash: writeHash({ rsvp: 'https://wren.example/cats' }),
    prepare: async (page) => {
      await button(page, 'Show its title').click();
      await page.getByText('“Cats on porches” by Wren').waitFor();
    },
  },
  {
    name: 'write-bookmarklets',
    house: livedInHouse,
    hash: writeHash(),
    desktop: true,
    prepare: async (page) => {
      await button(page, 'More actions').click();
      await page.getByRole('menuitem', { name: 'Bookmarklets…' }).click();
      await page.getByText('Respond from your browser').waitFor();
    },
  },
  { name: 'write-discard', house: livedInHouse, hash: writeHash({ post: draft }), prepare: discardAsked },
  {
    name: 'write-conflict',
    house: livedInHouse,
    hash: writeHash({ post: draft }),
    faulty: true,
    prepare: async (page) => {
      await page.route('**/api/posts.update', (route) =>
        route.fulfill({ json: { error: { code: 'conflict', message: 'This post has changed.' } } }),
      );
      await page.getByRole('textbox', { name: 'Text' }).fill('Another ending of the same story.');
      await page.getByRole('alert', { name: 'This post was changed elsewhere' }).waitFor();
      await page.waitForFunction(
        () => document.querySelector('section[role=alert] [aria-disabled=true]') === null,
      );
    },
  },
  {
    name: 'write-unsaved',
    house: livedInHouse,
    hash: writeHash(),
    faulty: true,
    prepare: async (page) => {
      await page.route('**/api/posts.create', (route) =>
        route.fulfill({ json: { error: { code: 'storage_full', message: 'The disk is full.' } } }),
      );
      await page.getByRole('textbox', { name: 'Text' }).fill('The first snow, and the lamp is on.');
      await page
        .getByText(/^Not saved: The disk is full/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'write-deleted',
    house: livedInHouse,
    hash: writeHash({ post: 'https://porch.marlow.example/posts/2026/11/oops' }),
    prepare: (page) => page.getByText('This post is deleted').waitFor(),
  },
];

async function discardAsked(page: Page): Promise<void> {
  await button(page, 'More actions').click();
  await page.getByRole('menuitem', { name: 'Discard…' }).click();
  await page.getByText('Discard this draft?').waitFor();
}

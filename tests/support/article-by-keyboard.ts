import type { Page } from 'playwright';
import { expect } from 'vitest';
import type { MethodName, Params, Result } from '../../src-main/contract/contract.ts';
import { landscape } from '../../src-main/demo/pictures.ts';
import { writeHash } from '../../src-renderer/routes.ts';
import { keyboardOf } from './keyboard.ts';

/** Calls the service behind the window. */
type Call = <M extends MethodName>(method: M, params: Params<M>) => Promise<Result<M>>;

const text = (page: Page) => page.getByRole('textbox', { name: 'Text', exact: true });
const saved = (page: Page) => page.getByText(/^(?:Draft|Edits) saved at/).waitFor();
const isFocused = (page: Page, label: string) =>
  expect
    .poll(() => page.getByLabel(label).evaluate((element) => element === document.activeElement))
    .toBe(true);

/** Returns a photo as a file picker gives it. */
export const photo = (number: number) => ({
  name: `porch-${number}.png`,
  mimeType: 'image/png',
  buffer: landscape(number),
});

/** Types a date into the date field that has the focus, as Chromium takes it in English. */
async function typeDate(page: Page, date: string, time: string): Promise<void> {
  await page.keyboard.type(`${date}${time}`);
}

/**
 * Writes an article with three photos with the keyboard alone, from the list of posts, which `page` shows in English.
 * Schedules it, edits it before and after its publication, and reloads the page in between.
 */
export async function writeArticleByKeyboard(page: Page, call: Call): Promise<void> {
  const keyboard = keyboardOf(page);
  await keyboard.tabTo('link', 'New post');
  await keyboard.press('Enter');
  await keyboard.isAt('textbox', 'Text');
  // The kinds are one stop, and the arrow keys choose among them.
  await keyboard.tabTo('radio', 'Note', { back: true });
  await keyboard.press('ArrowRight');
  await keyboard.isAt('radio', 'Article');
  await keyboard.tabTo('textbox', 'Title');
  await keyboard.type('On porches');
  await keyboard.tabTo('textbox', 'Text');
  await keyboard.type('A porch is a room with *one* wall missing. ');
  await keyboard.press('Control+b');
  await keyboard.type('Come in');
  await keyboard.press('Control+b');
  // The details open before the button, and take the focus.
  await keyboard.tabTo('button', 'Details');
  await keyboard.press('Enter');
  await keyboard.isAt('region', 'Details');
  const choosing = page.waitForEvent('filechooser');
  await keyboard.tabTo('button', 'Add a cover');
  await keyboard.press('Enter');
  await (await choosing).setFiles([photo(1), photo(2), photo(3)]);
  await page.getByRole('textbox', { name: 'Alt text for porch-3.png' }).waitFor();
  await keyboard.tabTo('textbox', 'Alt text for porch-3.png', { back: true });
  await keyboard.type('Three');
  await keyboard.tabTo('textbox', 'Alt text for porch-2.png', { back: true });
  await keyboard.type('Two');
  await keyboard.tabTo('textbox', 'Alt text for porch-1.png', { back: true });
  await keyboard.type('One');
  await keyboard.tabTo('button', 'Move porch-1.png later');
  await keyboard.press('Enter');
  await keyboard.isAt('button', 'Move porch-1.png later');
  await keyboard.tabTo('combobox', 'Categories');
  await keyboard.type('porches');
  await keyboard.press('Enter');
  await keyboard.tabTo('button', 'Add a cover');
  await keyboard.press('Tab');
  await isFocused(page, 'Date and time');
  await typeDate(page, '01022099', '0304AM');
  await keyboard.tabTo('button', 'Preview');
  await keyboard.press('Enter');
  await page.locator('section[aria-label="Preview"] em').getByText('one').waitFor();
  await keyboard.press('Enter');
  await saved(page);
  await keyboard.press('Control+Enter');
  await page.getByText('Scheduled for 2 Jan 2099, 03:04.').waitFor();

  const [scheduled] = (await call('posts.list', { status: 'scheduled' })).items;
  const url = scheduled?.url ?? '';
  expect(new URL(url).pathname).toBe('/posts/2099/01/on-porches');
  const source = await call('posts.source', { url });
  expect(source).toMatchObject({ name: 'On porches', format: 'markdown', categories: ['porches'] });
  expect(scheduled?.kind).toBe('article');
  expect(source.photos).toEqual([]);
  expect(source.featured?.map(({ alt }) => alt)).toEqual(['Two', 'One', 'Three']);

  // Before publication: the edits survive a reload, and reach the post with Update.
  await page.evaluate((place) => void (location.hash = place), writeHash({ post: url }));
  await text(page).waitFor();
  await keyboard.tabTo('textbox', 'Text');
  await keyboard.press('Control+End');
  await keyboard.type(' Sit down.');
  await saved(page);
  expect((await call('posts.source', { url })).text).not.toContain('Sit down.');
  await page.reload();
  await page.getByText(/^You have unsaved edits from/).waitFor();
  expect(await text(page).inputValue()).toContain('Sit down.');
  await keyboard.tabTo('button', 'Details');
  await keyboard.press('Enter');
  await keyboard.isAt('region', 'Details');
  await keyboard.tabTo('button', 'Add a cover');
  await keyboard.press('Tab');
  await isFocused(page, 'Date and time');
  await typeDate(page, '01022020', '0304AM');
  await keyboard.press('Control+Enter');
  await page.getByText('Published.').waitFor();
  expect(await call('posts.source', { url })).toMatchObject({
    text: 'A porch is a room with *one* wall missing. **Come in** Sit down.',
  });

  // After publication.
  await page.evaluate((place) => void (location.hash = place), writeHash({ post: url }));
  await text(page).waitFor();
  await keyboard.tabTo('textbox', 'Text');
  await keyboard.press('Control+End');
  await keyboard.type(' Stay.');
  await keyboard.press('Control+Enter');
  await page.getByText('Updated.').waitFor();
  expect((await call('posts.source', { url })).text).toContain('Sit down. Stay.');
}

import type { Page } from 'playwright';
import type { HeadlessProcess } from '../../support/headless-process.ts';
import { authorizationUrl, signInRequest } from '../../support/sign-in.ts';
import { takePictures, takeNow } from './camera.ts';

/** Those of the window, and a phone's. */
const siteWidths = [390, 800, 1440];
const otherThemes = ['paper', 'garden'] as const;

/** Takes what visitors of the demo see: the site, a sign-in, and the other pages. */
export async function takeDemoSite(page: Page, demo: HeadlessProcess): Promise<void> {
  const { baseUrl } = demo.ready;
  const posts = (await demo.call('posts.list', { limit: 200 })).items;
  const first = (kind: (typeof posts)[number]['kind']) => {
    const found = posts.find((post) => post.kind === kind && post.status === 'published');
    if (!found) throw new Error(`The demo has no ${kind}.`);
    return found.url;
  };
  const signIn = (changes: Record<string, string> = {}) =>
    authorizationUrl(
      baseUrl,
      signInRequest('https://photo-walk.example', { scope: 'profile email create media', ...changes }),
    );
  const month = first('article').replace(/[^/]*$/, '');
  const kinds = ['note', 'article', 'photo', 'reply', 'like', 'repost', 'bookmark', 'rsvp'] as const;
  const addresses: Readonly<Record<string, string>> = {
    'site-home': baseUrl,
    'site-about': `${baseUrl}/about`,
    'site-archive': `${baseUrl}/archive`,
    'site-year': month.replace(/[^/]*\/$/, ''),
    'site-month': month,
    'site-search': `${baseUrl}/search?q=garden`,
    'site-search-nothing': `${baseUrl}/search?q=submarine`,
    'site-categories': `${baseUrl}/categories`,
    'site-category': `${baseUrl}/categories/garden`,
    'site-kind': `${baseUrl}/kinds/photo`,
    ...Object.fromEntries(kinds.map((kind) => [`site-${kind}`, first(kind)])),
    'site-nothing': `${baseUrl}/posts/nowhere`,
    'public-mention-form': `${baseUrl}/webmention`,
    'public-request': signIn(),
    'public-fault': signIn({ response_type: 'token' }),
    'public-refused': signIn({ redirect_uri: 'https://elsewhere.example/' }),
  };
  for (const [name, address] of Object.entries(addresses)) {
    await page.goto(address);
    await takePictures(page, name, siteWidths);
  }
  for (const theme of otherThemes) {
    await demo.call('settings.update', { site: { theme } });
    for (const name of ['site-home', 'site-article', 'site-photo', 'site-archive', 'site-search']) {
      await page.goto(addresses[name] ?? '');
      await takePictures(page, `${name}-${theme}`, siteWidths);
    }
  }
  await demo.call('settings.update', { site: { theme: 'porch' } });
  await page.goto(addresses['site-article'] ?? '');
  // A printer's page, whose colors don't depend on the screen's.
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.setViewportSize({ width: 720, height: 1020 });
  await takeNow(page, 'site-article-print');
  await page.emulateMedia({ media: null, colorScheme: null });
  await page.goto(signIn());
  await page.getByRole('button').click();
  await page.locator('#match-code').waitFor();
  await takePictures(page, 'public-waiting');
  // Leaves the demo with the sign-ins that it came with.
  const id = page.url().split('/').at(-1) ?? '';
  await page.goto('about:blank');
  await demo.call('signIns.deny', { id });
}

/** Takes the page in place of a deleted post. Restores the post. */
export async function takeDeletedPost(page: Page, demo: HeadlessProcess): Promise<void> {
  const post = (await demo.call('posts.list', { kind: 'note', status: 'published', limit: 1 })).items[0];
  if (!post) throw new Error('The demo has no note.');
  await demo.call('posts.delete', { url: post.url });
  await page.goto(post.url);
  await takePictures(page, 'site-deleted', siteWidths);
  await demo.call('posts.undelete', { url: post.url });
}

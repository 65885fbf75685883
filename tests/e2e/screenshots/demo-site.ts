import type { Page } from 'playwright';
import type { HeadlessProcess } from '../../support/headless-process.ts';
import { authorizationUrl, signInRequest } from '../../support/sign-in.ts';
import { takeLooks } from './camera.ts';

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
  const kinds = ['note', 'article', 'photo', 'reply', 'like', 'repost', 'bookmark', 'rsvp'] as const;
  const addresses: Readonly<Record<string, string>> = {
    'site-home': baseUrl,
    'site-category': `${baseUrl}/categories/garden`,
    ...Object.fromEntries(kinds.map((kind) => [`site-${kind}`, first(kind)])),
    'site-nothing': `${baseUrl}/posts/nowhere`,
    'public-mention-form': `${baseUrl}/webmention`,
    'public-request': signIn(),
    'public-fault': signIn({ response_type: 'token' }),
    'public-refused': signIn({ redirect_uri: 'https://elsewhere.example/' }),
  };
  for (const [name, address] of Object.entries(addresses)) {
    await page.goto(address);
    await takeLooks(page, name);
  }
  await page.goto(signIn());
  await page.getByRole('button').click();
  await page.locator('#match-code').waitFor();
  await takeLooks(page, 'public-waiting');
  // Leaves the demo with the sign-ins that it came with.
  const id = page.url().split('/').at(-1) ?? '';
  await page.goto('about:blank');
  await demo.call('signIns.deny', { id });
}

import { livedInHouse, quietHouse, waitingSignIn, type House } from './window-fixtures.ts';
import { button, type View } from './window-view.ts';

/** A house with an app that runs beside the browser. */
const withNativeApp = (now: number): House => ({
  ...livedInHouse(now),
  signIns: [
    waitingSignIn(now, {
      clientId: 'https://quill.example/desktop.json',
      clientName: 'Quill for the desktop',
      clientHost: 'quill.example',
      clientLogo: null,
      redirectUri: 'http://127.0.0.1:51234/callback',
      scopes: ['profile', 'create', 'media'],
      warnings: ['The response goes to a program on the computer where the browser runs.'],
    }),
  ],
});

/** A house with an assistant that asks to read mentions and to publish. */
const withAssistant = (now: number): House => ({
  ...livedInHouse(now),
  signIns: [
    waitingSignIn(now, {
      clientId: 'https://assistant.example/client.json',
      clientName: 'An assistant',
      clientHost: 'assistant.example',
      clientLogo: null,
      scopes: ['draft', 'create', 'read_mentions'],
      assistant: true,
      needsReview: true,
    }),
  ],
});

/** A house where more apps ask than the screen has places. */
const crowded = (now: number): House => ({
  ...livedInHouse(now),
  signIns: Array.from({ length: 12 }, (_, index) =>
    waitingSignIn(now, { id: `sign-in-${index}`, clientName: `App ${index}`, clientLogo: null, scopes: [] }),
  ),
});

/** The sign-ins screen, as sign-ins wait, are answered and end. */
export const signInViews: readonly View[] = [
  { name: 'sign-ins', house: livedInHouse, hash: '#/sign-ins' },
  {
    name: 'sign-ins-answered',
    house: livedInHouse,
    hash: '#/sign-ins',
    prepare: async (page) => {
      await button(page, 'Approve').first().click();
      await page.getByText('Approved: Indigenous').waitFor();
    },
  },
  { name: 'sign-ins-quiet', house: quietHouse, hash: '#/sign-ins' },
  {
    name: 'sign-ins-phone',
    house: livedInHouse,
    hash: '#/sign-ins?id=past-1',
    prepare: (page) => page.getByText('If it wasn’t you, undo it.').waitFor(),
  },
  { name: 'sign-ins-native-app', house: withNativeApp, hash: '#/sign-ins' },
  {
    name: 'sign-ins-assistant',
    house: withAssistant,
    hash: '#/sign-ins',
    prepare: async (page) => {
      await page.getByLabel(/^Publish posts and drafts/).check();
      await page.getByLabel('Let it read mentions and publish posts').waitFor();
    },
  },
  {
    name: 'sign-ins-moved',
    house: withNativeApp,
    hash: '#/sign-ins',
    prepare: async (page) => {
      await button(page, 'Approve').scrollIntoViewIfNeeded();
      await button(page, 'Approve').evaluate((approve) => {
        document.querySelector('main')!.style.translate = '0 -20px';
        (approve as HTMLButtonElement).click();
      });
      await page.getByRole('tooltip', { includeHidden: true }).waitFor();
    },
  },
  { name: 'sign-ins-crowded', house: crowded, hash: '#/sign-ins' },
  {
    name: 'sign-ins-not-responding',
    house: livedInHouse,
    hash: '#/sign-ins',
    prepare: async (page) => {
      await page.route('**/api/events', (route) => route.fulfill({ body: '' }));
      await page.reload();
      await page.getByText('Porchlight isn’t responding.').waitFor();
    },
  },
];

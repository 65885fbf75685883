import type { Page } from 'playwright';
import { settingsHash, welcomeHash } from '../../src-renderer/routes.ts';
import {
  goodToken,
  readySetup,
  unfinishedSetup,
  weakToken,
  withMailbox,
  type CloudflareHouse,
} from './window-cloudflare-handlers.ts';
import { livedInHouse, quietHouse, type House } from './window-fixtures.ts';
import { unreachedHouse } from './window-houses.ts';
import { button, chooseWay, type View } from './window-view.ts';

const reach = settingsHash('reach');
const mailbox = settingsHash('mailbox');
const inState = (state: Parameters<typeof withMailbox>[1]) => (now: number) =>
  withMailbox(quietHouse(now), state, now);

/** A house whose setup at Cloudflare has this status. */
function houseWith(status: CloudflareHouse['status']): (now: number) => House {
  return (now) => {
    const house = withMailbox(livedInHouse(now), null, now);
    return { ...house, ...(house.cloudflare && { cloudflare: { ...house.cloudflare, status } }) };
  };
}

async function pasteToken(page: Page, token = goodToken): Promise<void> {
  await page.getByLabel('API token', { exact: true }).fill(token);
  await button(page, 'Continue').click();
}

const chooseAddress = async (page: Page) => {
  await pasteToken(page);
  await page.getByText('porch.marlow.example is available.').waitFor();
};

/** The setup at Cloudflare and the mailbox in each of their states, and what Overview says about them. */
export const cloudflareViews: readonly View[] = [
  {
    name: 'cloudflare-token-refused',
    house: unreachedHouse,
    hash: welcomeHash('reach'),
    prepare: async (page) => {
      await pasteToken(page, weakToken);
      await page.getByText('Porchlight can’t use this token.').waitFor();
    },
  },
  {
    name: 'cloudflare-address',
    house: unreachedHouse,
    hash: welcomeHash('reach'),
    prepare: chooseAddress,
  },
  {
    name: 'cloudflare-name-taken',
    house: livedInHouse,
    hash: reach,
    prepare: async (page) => {
      await chooseWay(page, /^Cloudflare with your own domain/);
      await chooseAddress(page);
      await page.getByLabel('Name', { exact: true }).fill('taken');
      await page.getByText('taken.marlow.example is already used for something else.').waitFor();
    },
  },
  {
    name: 'cloudflare-working',
    house: houseWith(readySetup(undefined, { state: 'working', task: 'setUp' })),
    hash: reach,
    prepare: (page) => page.getByText('Setting up your address').waitFor(),
  },
  {
    name: 'cloudflare-unfinished',
    house: houseWith(unfinishedSetup('setUp')),
    hash: reach,
    prepare: (page) => button(page, 'Resume').waitFor(),
  },
  {
    name: 'cloudflare-done',
    house: livedInHouse,
    hash: reach,
    prepare: async (page) => {
      await chooseWay(page, /^Cloudflare with your own domain/);
      await chooseAddress(page);
      await button(page, 'Set up porch.marlow.example').click();
      await page.getByText('What to do:').first().waitFor();
    },
  },
  { name: 'cloudflare-ready', house: inState('ready'), hash: reach },
  {
    name: 'cloudflare-disconnect',
    house: (now) => withMailbox(quietHouse(now), 'ready', now, false),
    hash: reach,
    prepare: async (page) => {
      await button(page, 'Disconnect…').click();
      await page.getByRole('dialog', { name: 'Disconnect from Cloudflare?' }).waitFor();
    },
  },
  {
    name: 'cloudflare-discard',
    house: (now) => {
      const house = withMailbox(quietHouse(now), 'unreachable', now);
      const words = 'The mailbox keeps 3 things that can’t be fetched now. Cloudflare didn’t answer in time.';
      const failure = { code: 'mailbox_not_empty', words, leaves: 'ready' } as const;
      return { ...house, ...(house.cloudflare && { cloudflare: { ...house.cloudflare, failure } }) };
    },
    hash: reach,
    prepare: async (page) => {
      await button(page, 'Disconnect…').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText('Porchlight couldn’t remove everything.').waitFor();
      await button(page, 'Disconnect…').click();
      await page.getByRole('dialog', { name: 'Delete what the mailbox keeps?' }).waitFor();
    },
  },
  { name: 'settings-mailbox', house: quietHouse, hash: mailbox },
  { name: 'mailbox-off', house: inState(null), hash: mailbox },
  { name: 'mailbox-awake', house: inState('awake'), hash: mailbox },
  { name: 'mailbox-ready', house: inState('ready'), hash: mailbox },
  { name: 'mailbox-unreachable', house: inState('unreachable'), hash: mailbox },
  { name: 'mailbox-foreign', house: inState('foreign'), hash: mailbox },
  { name: 'mailbox-outdated', house: inState('outdated'), hash: mailbox },
  {
    name: 'mailbox-turn-off',
    house: inState('ready'),
    hash: mailbox,
    prepare: async (page) => {
      await button(page, 'Turn off…').click();
      await page.getByRole('dialog', { name: 'Turn off the mailbox?' }).waitFor();
    },
  },
  {
    name: 'overview-arrived',
    house: inState('ready'),
    hash: '#/',
    prepare: (page) => page.getByText(/14 things arrived while you were away/).waitFor(),
  },
  {
    name: 'overview-mailbox-trouble',
    house: inState('unreachable'),
    hash: '#/',
    prepare: (page) => page.getByText(/The mailbox needs your attention/).waitFor(),
  },
];

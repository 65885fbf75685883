import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { aimAtApprove, clickTwice, openPerson, type Person } from '../../support/approval-races.ts';
import { callOwner, launchDesktop, whyNoDesktop, type RunningDesktop } from '../../support/electron-app.ts';

const reason = whyNoDesktop();
if (reason) console.log(`The approval tests of the desktop are skipped: ${reason}.`);

/** Milliseconds after which whatever a click caused has happened. */
const calm = 1500;

describe.skipIf(reason)(
  'a click in the desktop’s window approves what the owner saw under it, and nothing else',
  () => {
    let desktop: RunningDesktop;
    let quill: Person;
    let mallory: Person;
    const waitingIds = async () => (await callOwner(desktop.page, 'signIns.list', {})).map(({ id }) => id);
    const approvedIds = async () => {
      const past = await callOwner(desktop.page, 'signIns.history', {});
      return past.filter(({ outcome }) => outcome === 'approved').map(({ id }) => id);
    };
    const goTo = (place: string) =>
      desktop.page.evaluate((hash) => {
        window.location.hash = hash;
      }, place);

    beforeAll(async () => {
      desktop = await launchDesktop({
        args: ['--secrets', 'file', '--allow-private-fetch', '--me', 'http://127.0.0.1:9/'],
      });
      quill = await openPerson(desktop.ready.baseUrl, 'Quill');
      mallory = await openPerson(desktop.ready.baseUrl, 'Mallory');
    });
    afterEach(async () => {
      for (const id of await waitingIds()) await callOwner(desktop.page, 'signIns.deny', { id });
      await goTo('#/porch');
    });
    afterAll(async () => {
      await desktop.stop();
      for (const { app } of [quill, mallory]) await app.close();
    });

    test('two clicks at one pixel, 180 ms apart, approve one sign-in', async () => {
      await goTo('#/sign-ins');
      const first = await mallory.ask();
      const second = await quill.ask();
      await clickTwice(desktop.page, await aimAtApprove(desktop.page, second.matchCode));
      await desktop.page.waitForTimeout(calm);
      expect(await approvedIds()).toEqual([second.id]);
      expect(await waitingIds()).toEqual([first.id]);
      await desktop.page.getByText('Approved: Quill. Go back to your browser.').waitFor();
    });

    test('requests that are made again while the owner aims let none of them in', async () => {
      await goTo('#/sign-ins');
      const before = await mallory.ask();
      const own = await quill.ask();
      const after = await mallory.withOtherBrowser().ask();
      const { x, y } = await aimAtApprove(desktop.page, own.matchCode);
      const again = await mallory.ask();
      await desktop.page.getByText(again.matchCode, { exact: true }).waitFor();
      await desktop.page.mouse.click(x, y);
      await desktop.page.waitForTimeout(calm);
      // A busy computer may need longer to approve.
      await expect.poll(approvedIds).toContain(own.id);
      const approved = await approvedIds();
      for (const { id } of [before, after, again]) expect(approved).not.toContain(id);
      await desktop.page.getByText('Started again: Mallory').waitFor();
    });

    test('an approval after Review ends with a message that names the app', async () => {
      const asked = await quill.ask();
      await goTo(`#/sign-ins?id=${asked.id}`);
      await desktop.page.getByRole('button', { name: 'Approve' }).click();
      await desktop.page.getByText('Approved: Quill. Go back to your browser.').waitFor();
      expect(await desktop.page.getByText('no longer waiting').count()).toBe(0);
    });
  },
);

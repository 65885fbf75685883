import type { Locator } from 'playwright';

/** Longer than `watchStillness` waits between two looks at where a button is, in ms. */
const pastACheckMs = 300;

/**
 * Waits until a steady button accepts clicks and keys. A move shows in its look only after the next check, so what it
 * shows now may be from before the move: it is asked again once that check is over.
 */
export async function untilSteady(button: Locator): Promise<void> {
  await button.waitFor();
  await button.evaluate(async (one, pauseMs) => {
    const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));
    do await pause();
    while (one.hasAttribute('aria-disabled'));
  }, pastACheckMs);
}

import type { BrowserContext, Page } from 'playwright';

/** Milliseconds. What is shorter cannot be seen to move. */
const imperceptible = 10;

/** Notes what moves in every page of the context that is opened from now on. */
export async function watchMotion(context: BrowserContext): Promise<void> {
  await context.addInitScript((most) => {
    const moved = new Set<string>();
    Object.defineProperty(window, 'movedInTest', { value: moved });
    const note = ({ type, target }: Event) => {
      if (!(target instanceof Element)) return;
      for (const animation of target.getAnimations({ subtree: true })) {
        const { duration = 0 } = animation.effect?.getTiming() ?? {};
        if (Number(duration) > most) moved.add(`${type}: ${target.className}`);
      }
    };
    for (const type of ['animationstart', 'transitionrun']) document.addEventListener(type, note, true);
  }, imperceptible);
}

/** Returns what has moved on the page so far, and what would move. Call `watchMotion` before the page is opened. */
export async function motionOn(page: Page): Promise<string[]> {
  return page.evaluate((most) => {
    const longest = (times: string) => Math.max(...times.split(',').map((time) => parseFloat(time) * 1000));
    const found = new Set(Reflect.get(window, 'movedInTest') as Set<string>);
    for (const element of document.querySelectorAll('*')) {
      for (const part of [undefined, '::before', '::after']) {
        const style = getComputedStyle(element, part);
        const animates = style.animationName !== 'none' && longest(style.animationDuration) > most;
        const changes = style.transitionProperty !== 'none' && longest(style.transitionDuration) > most;
        if (animates || changes)
          found.add(`${element.tagName}${part ?? ''}.${element.getAttribute('class') ?? ''}`);
      }
    }
    return [...found];
  }, imperceptible);
}

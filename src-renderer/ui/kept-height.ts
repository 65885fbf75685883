import { useEffect, useLayoutEffect, useRef, type RefObject } from 'react';

/**
 * Keeps an element at least as tall as it has been, while `isKept`. So nothing below it moves up when its content shrinks
 * or is replaced, and the page never gets so short that the browser scrolls. Put the ref on an element that stays in the
 * document while its content changes. `reflows`: whether a window of another width may make the element less tall.
 */
export function useKeptHeight(isKept: boolean, reflows: boolean): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null);
  const mayReflow = useRef(reflows);
  useEffect(() => {
    mayReflow.current = reflows;
  }, [reflows]);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element || !isKept) return;
    const keep = () => {
      element.style.minHeight = `${element.getBoundingClientRect().height}px`;
    };
    keep();
    const observer = new ResizeObserver(keep);
    observer.observe(element);
    // The width with its scrollbar: only the owner changes it.
    let width = window.innerWidth;
    const onResize = () => {
      if (window.innerWidth === width) return;
      width = window.innerWidth;
      if (!mayReflow.current) return;
      element.style.minHeight = '';
      keep();
    };
    window.addEventListener('resize', onResize);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', onResize);
      element.style.minHeight = '';
    };
  }, [isKept]);
  return ref;
}

import { useEffect, useState } from 'react';
import { bringIntoView } from '../ui/stillness.ts';
import { findText } from './find-text.ts';

/** What was found on the page. */
export interface Found {
  /** How many times the page holds the words. */
  readonly count: number;
  /** Which match is shown, from 1; 0 where there is none. */
  readonly current: number;
  /** Goes to the next match (1) or the one before (-1), around the ends of the page. */
  readonly move: (step: 1 | -1) => void;
}

/** Milliseconds that the page must rest before it is searched again. */
const restMs = 150;

const allName = 'found';
const currentName = 'found-now';

/**
 * Finds `words` on the page and paints the matches, with the CSS Custom Highlight API: Chromium's own search would also
 * find the words in the field where they are typed, and takes the cursor out of that field. Searches again when the
 * page changes.
 */
export function useFind(words: string): Found {
  const [matches, setMatches] = useState<readonly Range[]>([]);
  const [at, setAt] = useState({ index: 0, words });
  const index = Math.min(at.words === words ? at.index : 0, matches.length - 1);

  useEffect(() => {
    const search = () => {
      const found = findText(document.body, words);
      setMatches(found);
      return found;
    };
    // Only the owner's own search scrolls. A page that changes by itself stays where it is.
    bringIntoSight(search()[0]);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const observer = new MutationObserver((changes) => {
      if (changes.every(({ target }) => isInBar(target))) return;
      clearTimeout(timer);
      timer = setTimeout(() => void search(), restMs);
    });
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    return () => {
      observer.disconnect();
      clearTimeout(timer);
    };
  }, [words]);

  useEffect(() => {
    const current = matches[index];
    CSS.highlights.set(allName, new Highlight(...matches));
    CSS.highlights.set(currentName, new Highlight(...(current ? [current] : [])));
    return () => {
      CSS.highlights.delete(allName);
      CSS.highlights.delete(currentName);
    };
  }, [matches, index]);

  return {
    count: matches.length,
    current: index + 1,
    move: (step) => {
      if (matches.length === 0) return;
      const next = (index + step + matches.length) % matches.length;
      setAt({ index: next, words });
      bringIntoSight(matches[next]);
    },
  };
}

function bringIntoSight(match: Range | undefined): void {
  const element = match?.startContainer.parentElement;
  if (element) bringIntoView(element, 'center');
}

function isInBar(node: Node): boolean {
  const element = node instanceof Element ? node : node.parentElement;
  return (element?.closest('[data-find-bar]') ?? null) !== null;
}

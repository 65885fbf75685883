import { useEffect, useState, type ReactElement } from 'react';
import type { Bridge } from '../client/ipc.ts';
import { isUnfinished } from '../ui/unfinished.ts';
import { FindBar } from './find-bar.tsx';
import { leftOut } from './find-text.ts';
import { useCloseOnEscape } from './small-window.ts';
import { zoomWords } from './words.ts';
import styles from './desktop.module.css';

/** Milliseconds that the new zoom stays in sight. */
const zoomMs = 2000;

/** What a browser brings along and the desktop app has to add: find in page, and the zoom in words. Also answers whether the window may be closed. */
export function DesktopTools({
  bridge,
}: {
  bridge: Pick<Bridge, 'watchWindow' | 'closeWindow' | 'restWindow'>;
}): ReactElement {
  useCloseOnEscape(bridge);
  // 0: the bar is closed.
  const [asked, setAsked] = useState(0);
  const [percent, setPercent] = useState<number | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = bridge.watchWindow((signal) => {
      if (signal.name === 'find') setAsked((before) => before + 1);
      if (signal.name === 'rest' && !isUnfinished()) bridge.restWindow();
      if (signal.name !== 'zoom') return;
      setPercent(signal.percent);
      clearTimeout(timer);
      timer = setTimeout(() => setPercent(null), zoomMs);
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [bridge]);
  return (
    <>
      {asked > 0 && <FindBar asked={asked} onClose={() => setAsked(0)} />}
      <div role="status" className={percent === null ? undefined : styles.zoom} {...leftOut}>
        {percent === null ? '' : zoomWords.now(percent)}
      </div>
    </>
  );
}

import { useState } from 'react';

/** The most entries that are remembered. */
const most = 100;

interface Dismissed {
  readonly has: (entry: string) => boolean;
  readonly dismiss: (entry: string) => void;
}

/**
 * Returns what the owner dismissed in this window, and how to dismiss more. The window remembers it for later starts,
 * unless the browser forbids storage. `name`: of the list.
 */
export function useDismissed(name: string): Dismissed {
  const key = `porchlight-dismissed-${name}`;
  const [entries, setEntries] = useState(() => readEntries(key));
  return {
    has: (entry) => entries.includes(entry),
    dismiss(entry) {
      const next = [entry, ...entries.filter((one) => one !== entry)].slice(0, most);
      setEntries(next);
      try {
        window.localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // It stays dismissed until the screen is left.
      }
    },
  };
}

function readEntries(key: string): readonly string[] {
  try {
    const read: unknown = JSON.parse(window.localStorage.getItem(key) ?? '[]');
    return Array.isArray(read) ? read.filter((entry) => typeof entry === 'string') : [];
  } catch {
    return [];
  }
}

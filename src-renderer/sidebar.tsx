import { VisuallyHidden } from '@mantine/core';
import {
  IconApps,
  IconArchive,
  IconHistory,
  IconHome,
  IconKey,
  IconLink,
  IconMessages,
  IconNotes,
  IconPhoto,
  IconSettings,
  type Icon,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { screens, type Screen } from '../src-main/contract/screens.ts';
import type { Status } from '../src-main/contract/status.ts';
import { useAnswer } from './client/queries.ts';
import { useHeld } from './client/held.ts';
import { hashOf } from './routes.ts';
import shell from './shell.module.css';
import { Lamp } from './ui/lamp.tsx';

const places: Record<Screen, { words: string; Icon: Icon }> = {
  porch: { words: 'Porch', Icon: IconHome },
  'sign-ins': { words: 'Sign-ins', Icon: IconKey },
  apps: { words: 'Apps', Icon: IconApps },
  webmentions: { words: 'Webmentions', Icon: IconMessages },
  posts: { words: 'Posts', Icon: IconNotes },
  media: { words: 'Media', Icon: IconPhoto },
  activity: { words: 'Activity', Icon: IconHistory },
  data: { words: 'Your data', Icon: IconArchive },
  settings: { words: 'Settings', Icon: IconSettings },
  setup: { words: 'Set-up', Icon: IconLink },
};

/** Each begins a group: who comes in, what is said and shown, what goes on behind it. */
const groupStarts: ReadonlySet<Screen> = new Set(['sign-ins', 'posts', 'activity']);

function lightWords({ server, port }: Status): string {
  if (server === 'trouble') return port === null ? 'Light in trouble' : 'On, but not reachable';
  return server === 'on' ? 'Light on' : 'Light off';
}

/** The way around the house, with what waits. */
export function Sidebar({ current }: { current: Screen }): ReactElement {
  const status = useAnswer('status.get', {}).data;
  const waiting = status?.waiting ?? 0;
  const held = useHeld();
  const badges: Partial<Record<Screen, string>> = {
    ...(waiting > 0 && { 'sign-ins': String(waiting) }),
    ...(held !== '' && { webmentions: held }),
  };
  return (
    <nav className={shell.sidebar} aria-label="Screens">
      <title>{`${waiting > 0 ? `(${waiting}) ` : ''}${places[current].words} · Porchlight`}</title>
      <div className={shell.brand}>
        <Lamp lit={status !== undefined && status.port !== null} size={30} />
        <div>
          <div className={shell.name}>Porchlight</div>
          {status && <div className={shell.small}>{lightWords(status)}</div>}
        </div>
      </div>
      <ul className={shell.places}>
        {screens.map((screen) => {
          const { words, Icon } = places[screen];
          return (
            <li key={screen} className={groupStarts.has(screen) ? shell.group : undefined}>
              <a
                href={hashOf(screen)}
                className={shell.place}
                aria-current={screen === current ? 'page' : undefined}
              >
                <Icon size={19} stroke={1.7} aria-hidden="true" />
                {words}
                {badges[screen] !== undefined && (
                  <span className={shell.badge}>
                    {badges[screen]}
                    <VisuallyHidden> waiting</VisuallyHidden>
                  </span>
                )}
              </a>
            </li>
          );
        })}
      </ul>
      {status && <div className={`${shell.small} ${shell.version}`}>Version {status.version}</div>}
    </nav>
  );
}

import {
  IconApps,
  IconArchive,
  IconHistory,
  IconHome,
  IconKey,
  IconLink,
  IconMessages,
  IconNotes,
  IconPencil,
  IconPhoto,
  IconSettings,
  type Icon,
} from './ui/icons.ts';
import type { ReactElement } from 'react';
import { screens, type Screen } from '../src-main/contract/window.ts';
import type { Status } from '../src-main/contract/status.ts';
import { useAnswer } from './client/queries.ts';
import { useHeld } from './client/held.ts';
import { hashOf } from './routes.ts';
import shell from './shell.module.css';
import { Lamp } from './ui/lamp.tsx';
import { sidebarWords as words } from './words.ts';

const icons: Record<Screen, Icon> = {
  porch: IconHome,
  'sign-ins': IconKey,
  apps: IconApps,
  webmentions: IconMessages,
  write: IconPencil,
  posts: IconNotes,
  media: IconPhoto,
  activity: IconHistory,
  data: IconArchive,
  settings: IconSettings,
  setup: IconLink,
};

/** The first screen of each group: apps that sign in, what the site shows, and Porchlight itself. */
const groupStarts: ReadonlySet<Screen> = new Set(['sign-ins', 'write', 'activity']);

function lightWords({ server, port }: Status): string {
  if (server === 'trouble') return port === null ? words.stopped : words.unreachable;
  return words[server];
}

/** Leads to every screen, and shows how many sign-ins and mentions wait. */
export function Sidebar({ current }: { current: Screen }): ReactElement {
  const status = useAnswer('status.get', {}).data;
  const waiting = status?.waiting ?? 0;
  const held = useHeld();
  const badges: Partial<Record<Screen, string>> = {
    ...(waiting > 0 && { 'sign-ins': String(waiting) }),
    ...(held !== '' && { webmentions: held }),
  };
  return (
    <nav className={shell.sidebar} aria-label={words.name}>
      <title>{words.title(words.screens[current], waiting, status?.demo === true)}</title>
      <div className={shell.brand}>
        <Lamp lit={status !== undefined && status.port !== null} size={30} />
        <div>
          <div className={shell.name}>Porchlight</div>
          {status && <div className={shell.small}>{lightWords(status)}</div>}
        </div>
      </div>
      <ul className={shell.places}>
        {screens.map((screen) => {
          const Icon = icons[screen];
          const badge = badges[screen];
          return (
            <li key={screen} className={groupStarts.has(screen) ? shell.group : undefined}>
              <a
                href={hashOf(screen)}
                className={shell.place}
                aria-current={screen === current ? 'page' : undefined}
                // Screen readers would run the name and the number together: “Sign-ins2”.
                aria-label={badge && words.waiting(words.screens[screen], badge)}
              >
                <Icon size={19} stroke={1.7} aria-hidden="true" />
                {/* The visible text is part of the label, so that speech control finds it (WCAG 2.5.3). */}
                {words.screens[screen]} {badge && <span className={shell.badge}>{badge}</span>}
              </a>
            </li>
          );
        })}
      </ul>
      {status && <div className={`${shell.small} ${shell.version}`}>{words.version(status.version)}</div>}
    </nav>
  );
}

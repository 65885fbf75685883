import { Menu, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactElement } from 'react';
import { screens, type Screen } from '../src-main/contract/window.ts';
import type { Status } from '../src-main/contract/status.ts';
import { useHeld } from './client/held.ts';
import { useAnswer, useClient } from './client/queries.ts';
import { DemoBadge } from './demo-badge.tsx';
import { hashOf } from './routes.ts';
import { screenIcons } from './screen-icons.ts';
import shell from './shell.module.css';
import { searchKeys, screenKeys } from './shortcuts.ts';
import { IconDots, IconSearch } from './ui/icons.ts';
import { Lamp } from './ui/lamp.tsx';
import { sidebarWords as words } from './words.ts';

/** The first screen of each group: apps that sign in, what the site shows, and Porchlight itself. */
const groupStarts: ReadonlySet<Screen> = new Set(['sign-ins', 'write', 'activity']);

/** The screens in the bar of a narrow window. The others are in its menu. */
const barScreens = ['overview', 'write', 'posts', 'webmentions'] as const satisfies readonly Screen[];
const otherScreens = screens.filter((screen) => barScreens.every((name) => name !== screen));

type Badges = Partial<Record<Screen, string>>;

interface Props {
  readonly current: Screen;
  readonly onSearch: () => void;
}

/** Leads to every screen, and shows how many sign-ins and mentions wait: a column, or a bar at the bottom. */
export function Sidebar({ current, onSearch }: Props): ReactElement {
  const status = useAnswer('status.get', {}).data;
  const isNarrow = useMediaQuery('(max-width: 760px)', false, { getInitialValueInEffect: false });
  const waiting = status?.waiting ?? 0;
  const held = useHeld();
  const badges: Badges = {
    ...(waiting > 0 && { 'sign-ins': String(waiting) }),
    ...(held !== '' && { webmentions: held }),
  };
  return (
    <nav className={shell.sidebar} aria-label={words.name}>
      <title>{words.title(words.screens[current], waiting, status?.demo === true)}</title>
      <div className={shell.brand}>
        <Lamp lit={status !== undefined && status.port !== null} size={28} />
        {/* The overview says the state itself. */}
        <div className={shell.state}>{status && current !== 'overview' ? stateOf(status) : words.app}</div>
        <DemoBadge />
      </div>
      <div className={shell.navigation}>
        {!isNarrow && <SearchButton onSearch={onSearch} />}
        <ul className={shell.places}>
          {(isNarrow ? barScreens : screens).map((screen) => (
            <li key={screen} className={groupStarts.has(screen) ? shell.group : undefined}>
              <PlaceLink screen={screen} isCurrent={screen === current} badge={badges[screen]} />
            </li>
          ))}
          {isNarrow && (
            <li>
              <OtherPlaces current={current} badges={badges} onSearch={onSearch} />
            </li>
          )}
        </ul>
      </div>
      {status && <div className={shell.version}>{words.version(status.version)}</div>}
    </nav>
  );
}

function stateOf({ server, port }: Status): string {
  if (server === 'trouble') return port === null ? words.stopped : words.unreachable;
  return words[server];
}

function SearchButton({ onSearch }: Pick<Props, 'onSearch'>): ReactElement {
  return (
    <UnstyledButton className={shell.search} aria-keyshortcuts="Control+K Meta+K" onClick={onSearch}>
      <IconSearch size={16} aria-hidden="true" />
      {words.search}
      <kbd aria-hidden="true">{searchKeys()}</kbd>
    </UnstyledButton>
  );
}

interface PlaceProps {
  readonly screen: Screen;
  readonly isCurrent: boolean;
  readonly badge: string | undefined;
}

function PlaceLink({ screen, isCurrent, badge }: PlaceProps): ReactElement {
  const { home } = useClient();
  const Icon = screenIcons[screen];
  const name = words.screens[screen];
  return (
    <a
      href={hashOf(screen)}
      className={shell.place}
      aria-current={isCurrent ? 'page' : undefined}
      // Screen readers would run the name and the number together: “Sign-ins2”.
      aria-label={badge && words.waiting(name, badge)}
      title={home === 'desktop' ? screenKeys(screen) : undefined}
    >
      <Icon size={19} stroke={1.7} aria-hidden="true" />
      {/* The visible text is part of the label, so that speech control finds it (WCAG 2.5.3). */}
      {name} {badge && <span className={shell.badge}>{badge}</span>}
    </a>
  );
}

interface OtherPlacesProps extends Props {
  readonly badges: Badges;
}

/** The screens that the bar has no room for, and the search. */
function OtherPlaces({ current, badges, onSearch }: OtherPlacesProps): ReactElement {
  const waiting = badges['sign-ins'];
  const isHere = otherScreens.includes(current);
  return (
    <Menu position="top-end" width={240} withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <UnstyledButton
          className={shell.place}
          data-current={isHere || undefined}
          aria-label={waiting === undefined ? undefined : words.waiting(words.more, waiting)}
        >
          <IconDots size={19} stroke={1.7} aria-hidden="true" />
          {words.more} {waiting !== undefined && <span className={shell.badge}>{waiting}</span>}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconSearch size={18} aria-hidden="true" />} onClick={onSearch}>
          {words.search}
        </Menu.Item>
        {otherScreens.map((screen) => {
          const Icon = screenIcons[screen];
          const badge = badges[screen];
          return (
            <Menu.Item
              key={screen}
              component="a"
              href={hashOf(screen)}
              aria-current={screen === current ? 'page' : undefined}
              aria-label={badge && words.waiting(words.screens[screen], badge)}
              leftSection={<Icon size={18} stroke={1.7} aria-hidden="true" />}
              rightSection={badge && <span className={shell.badge}>{badge}</span>}
            >
              {words.screens[screen]}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}

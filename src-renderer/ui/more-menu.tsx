import { ActionIcon, Group, Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState, type ReactElement, type ReactNode } from 'react';
import { copyText } from './clipboard.ts';
import { IconCopy, IconDots, type Icon } from './icons.ts';
import { copyWords, moreWords } from './words.ts';

/** An entry of a "…" menu: an action, or a link. */
export interface MoreItem {
  readonly label: string;
  readonly Icon?: Icon;
  readonly onClick?: () => void;
  /** Makes the entry a link. */
  readonly href?: string;
  /** True if the link leads out of Porchlight, into a new tab. */
  readonly outside?: boolean;
  readonly disabled?: boolean;
  /** True if the action deletes or ends something. */
  readonly danger?: boolean;
}

interface MoreMenuProps {
  /** The entries. Left-out ones may stand as false, so that a condition fits in the list. */
  readonly items: readonly (MoreItem | false)[];
  /** The button's name; "More actions" if nothing else is given. */
  readonly label?: string;
  /** The id of the element that names what the actions are about. */
  readonly describedBy?: string;
  /** -1 in a list that moves the focus by itself. */
  readonly tabIndex?: 0 | -1;
}

const icon = { size: 16, 'aria-hidden': true } as const;
const newTab = { target: '_blank', rel: 'noopener noreferrer' } as const;

/** The "…" button with all actions that aren't the primary one. Renders nothing without an entry. */
export function MoreMenu({
  items,
  label = moreWords.name,
  describedBy,
  tabIndex,
}: MoreMenuProps): ReactElement | null {
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  const shown = items.filter((item) => item !== false);
  if (shown.length === 0) return null;
  return (
    // A list around it must not move while the arrow keys move in the menu. Ctrl+K and the like are for the window.
    <div onKeyDown={(event) => !event.ctrlKey && !event.metaKey && event.stopPropagation()}>
      <Menu
        position="bottom-end"
        // Inside the dialog or the landmark around it, above rows that cut off their content.
        portalProps={{ target: button?.closest<HTMLElement>('[role="dialog"]') ?? 'main' }}
        // The placeholder would be a child that no menu may have.
        withInitialFocusPlaceholder={false}
      >
        <Menu.Target>
          <ActionIcon
            ref={setButton}
            variant="subtle"
            color="gray"
            size={32}
            tabIndex={tabIndex}
            aria-label={label}
            aria-describedby={describedBy}
            title={label}
          >
            <IconDots {...icon} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {shown.map((item) => (
            <Entry key={item.label} item={item} />
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

function Entry({ item }: { item: MoreItem }): ReactElement {
  const { label, Icon, href, outside = false, danger = false, disabled, onClick } = item;
  const look = {
    disabled,
    color: danger ? 'var(--mantine-color-error)' : undefined,
    leftSection: Icon && <Icon {...icon} />,
  };
  if (href === undefined) {
    return (
      <Menu.Item {...look} onClick={onClick}>
        {label}
      </Menu.Item>
    );
  }
  return (
    <Menu.Item {...look} component="a" href={href} {...(outside && newTab)} onClick={onClick}>
      {label}
    </Menu.Item>
  );
}

/** Returns the entry that copies a text and tells the owner whether that worked. `what`: "the address". */
export function copyItem(value: string, what: string): MoreItem {
  return {
    label: copyWords.name(what),
    Icon: IconCopy,
    onClick: () =>
      void copyText(value).then((worked) =>
        notifications.show({ message: copyWords.outcome(copyWords[worked ? 'copied' : 'failed'], what) }),
      ),
  };
}

interface ActionRowProps extends MoreMenuProps {
  /** The primary button, and at most one quiet one beside it. */
  readonly children: ReactNode;
}

/** Lays out a place's actions: its primary button, and the rest under "…". */
export function ActionRow({ children, ...menu }: ActionRowProps): ReactElement {
  return (
    <Group gap="xs">
      {children}
      <MoreMenu {...menu} />
    </Group>
  );
}

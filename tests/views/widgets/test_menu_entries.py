"""Menus that are made of lists of entries."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from views.widgets.menu_entries import MenuEntry, fill, literal, note, open_menu, refill


def test_entries_run_are_checked_and_hold_others(qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    menu, picked, shared = QMenu(owner), [], QAction("Shared", owner)
    inner = [MenuEntry("In", lambda: picked.append("in"))]
    choices = [
        MenuEntry(text, lambda text=text: picked.append(text), on=text == "b", radio=True) for text in "ab"
    ]
    fill(
        menu,
        [
            shared,
            None,
            *choices,
            MenuEntry("Sub", inner=inner),
            note("Nothing"),
            MenuEntry("On", shared.trigger, on=True),
        ],
    )
    first, separator, a, b, sub, nothing, on = menu.actions()
    assert first is shared
    assert separator.isSeparator()
    assert [entry.isCheckable() for entry in (a, b, sub, nothing, on)] == [True, True, False, False, True]
    assert not nothing.isEnabled()
    a.trigger()
    assert (a.isChecked(), b.isChecked(), on.isChecked()) == (True, False, True)  # of radio entries only one
    (submenu,) = menu.findChildren(QMenu)
    submenu.actions()[0].trigger()
    assert picked == ["a", "in"]


def test_a_menu_that_is_filled_again_keeps_its_first_entries_and_those_of_others(qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    menu, shared = QMenu(owner), QAction("Shared", owner)
    fixed = menu.addAction("New window")
    for names in ("ab", "c"):
        refill(menu, [shared, *(MenuEntry(name, inner=[note("x")]) for name in names)], fixed=1)
        qtbot.wait(1)  # what was there before is deleted
        assert [action.text() for action in menu.actions()] == ["New window", "Shared", *names]
        assert len(menu.findChildren(QMenu)) == len(names)
    assert menu.actions()[0] is fixed


def test_a_context_menu_deletes_itself_and_a_name_has_no_access_key(qtbot: QtBot) -> None:
    owner = QWidget()
    qtbot.addWidget(owner)
    owner.show()
    open_menu("Runs", [MenuEntry(literal("a & b"), owner.hide, tip="Hides it")], QPoint(5, 5), owner)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert menu.toolTipsVisible()
    (action,) = menu.actions()
    assert action.text() == "a && b"
    menu.setActiveAction(action)
    qtbot.keyClick(menu, Qt.Key.Key_Return)
    assert not owner.isVisible()
    qtbot.waitUntil(lambda: not owner.findChildren(QMenu))

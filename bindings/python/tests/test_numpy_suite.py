"""NumPy's own tests of argmax and argmin, from the installed package, with ours in place of NumPy's."""

import ast
import inspect

import numpy as np
import pytest

import argmax_cl

numpy_tests = pytest.importorskip("numpy._core.tests.test_multiarray")


def ours(function):
    def call(a, *args, **keywords):
        keywords.update(zip(("axis", "out"), args))
        if np.asarray(a).dtype.kind in "cOUSV":
            with pytest.raises(TypeError):
                function(a, keywords.pop("axis", None), **keywords)
            pytest.skip("a dtype that the operator lacks gives TypeError")
        return function(a, keywords.pop("axis", None), **keywords)

    return call


FUNCTIONS = {"argmax": ours(argmax_cl.argmax), "argmin": ours(argmax_cl.argmin)}


class Rewrite(ast.NodeTransformer):
    """x.argmax(...) and np.argmax(x, ...) become FUNCTIONS["argmax"](x, ...); getattr(x, "argmax") as well."""

    def visit_Call(self, node):
        self.generic_visit(node)
        f = node.func
        if isinstance(f, ast.Attribute) and f.attr in FUNCTIONS:
            owner = [] if isinstance(f.value, ast.Name) and f.value.id == "np" else [f.value]
            function = ast.parse(f"FUNCTIONS[{f.attr!r}]", mode="eval").body
            return ast.Call(function, owner + node.args, node.keywords)
        if isinstance(f, ast.Name) and f.id == "getattr" and isinstance(node.args[0], ast.Name):
            return ast.Call(ast.Name("_getattr", ast.Load()), node.args, node.keywords)
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr in FUNCTIONS and isinstance(node.value, ast.Name) and node.value.id == "np":
            return ast.parse(f"FUNCTIONS[{node.attr!r}]", mode="eval").body
        return node


def _getattr(owner, name, *default):
    if name in FUNCTIONS:
        if owner is np:
            return FUNCTIONS[name]
        return lambda *args, **keywords: FUNCTIONS[name](owner, *args, **keywords)
    return getattr(owner, name, *default)


def _rewritten(name):
    tree = Rewrite().visit(ast.parse(inspect.getsource(getattr(numpy_tests, name))))
    scope = dict(vars(numpy_tests), FUNCTIONS=FUNCTIONS, _getattr=_getattr)
    exec(compile(ast.fix_missing_locations(tree), f"<numpy {name}>", "exec"), scope)
    return scope[name]


globals().update({name: _rewritten(name) for name in ("TestArgmaxArgminCommon", "TestArgmax", "TestArgmin")})

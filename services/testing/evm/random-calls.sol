// SPDX-License-Identifier: UNLICENSED
pragma solidity ^0.8.20;

/** Does with its coins what it is told. */
contract Child {
  constructor() payable {}

  receive() external payable {}

  function destroy(address payable to) external payable {
    selfdestruct(to);
  }

  function forward(address payable to, uint256 value) external payable {
    (bool ok, ) = to.call{value: value}("");
    ok;
  }

  /** Destroys itself by code that `other` lends it. */
  function destroyBy(address other, address payable to) external payable {
    (bool ok, ) = other.delegatecall(abi.encodeCall(Child.destroy, (to)));
    ok;
  }
}

/** Reads bytes as things to do, four at a time: what, with whom, for whom, for how much. */
contract Machine {
  uint256 constant ALL_MAX = 10;
  address payable[] private all;
  address private lender = address(new Child());

  constructor(address payable[] memory persons) payable {
    all = persons;
  }

  receive() external payable {}

  function everybody() external view returns (address payable[] memory) {
    return all;
  }

  function run(bytes calldata steps, uint256 depth) external payable {
    for (uint256 i = 0; i + 4 <= steps.length; i += 4) {
      address payable whom = all[uint8(steps[i + 1]) % all.length];
      address payable other = all[uint8(steps[i + 2]) % all.length];
      // Never nothing: of who destroys himself behind a payment of his own some nodes tell that payment twice.
      uint256 value = uint8(steps[i + 3]) | 1;
      uint256 what = uint8(steps[i]) % 8;
      if (what == 0) tell(whom, value, "");
      else if (what == 1) tell(whom, value, abi.encodeCall(Child.destroy, (other)));
      else if (what == 2) tell(whom, value, abi.encodeCall(Child.destroy, (whom)));
      else if (what == 3) tell(whom, value, abi.encodeCall(Child.forward, (other, value / 2)));
      else if (what == 4) tell(whom, value, abi.encodeCall(Child.destroyBy, (lender, other)));
      else if (what == 5) make(value);
      else if (what == 6) makeToEnd(value);
      else if (depth < 2) {
        tell(payable(this), 0, abi.encodeCall(Machine.nest, (steps[i:], depth + 1)));
        return;
      }
    }
  }

  /** Does the rest one call deeper, and takes all of it back half of the time. */
  function nest(bytes calldata steps, uint256 depth) external {
    this.run(steps[4:], depth);
    require(uint8(steps[3]) % 2 == 0);
  }

  function tell(address payable whom, uint256 value, bytes memory data) private {
    (bool ok, ) = whom.call{value: value}(data);
    ok;
  }

  function make(uint256 value) private {
    if (all.length < ALL_MAX && value <= address(this).balance) all.push(payable(new Child{value: value}()));
  }

  /** One that ends with this transaction, and is paid once more before it does. */
  function makeToEnd(uint256 value) private {
    if (value > address(this).balance) return;
    Child child = new Child{value: value}();
    child.destroy(payable(child));
    tell(payable(child), value, "");
  }
}
